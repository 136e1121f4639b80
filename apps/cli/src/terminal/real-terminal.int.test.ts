// Tests the interactive terminal as a user sees it: the command at a real terminal of tmux, with real keys, real tools
// in a real folder, and a simulator that answers from a scenario.

import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ListeningSimulator, ScenarioRoute } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';

import type { PseudoTerminal } from '../../tests/pseudo-terminal.ts';
import { hasTmux, openTerminal } from '../../tests/pseudo-terminal.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

const BIN = inject('command');

const skips = !hasTmux();
if (skips) process.stdout.write('real-terminal.int.test.ts is skipped: there is no tmux, which makes its terminal\n');

/** Source file that the agent edits. */
const TAX = 'export const taxOn = (cents) => Math.floor(cents * 0.19);\n';
const FIXED = TAX.replace('floor', 'round');

/** Program that prints a line, waits until the file `go` exists, and prints another line. */
const SLOW = `import { existsSync } from 'node:fs';
console.log('checking 1 of 2');
const timer = setInterval(() => {
  if (!existsSync('go')) return;
  console.log('checking 2 of 2');
  clearInterval(timer);
}, 20);
`;

/** Module that makes the component of the screen throw. */
const FAILING_FRAME = `const now = Date.now;
Date.now = () => {
  if (/ at Screen /.test(new Error('stack').stack ?? '')) throw new Error('the first frame cannot be drawn');
  return now();
};
`;

/** Module that stops the clock of the screen, which draws a frame in each second of a turn. */
const STOPPED_CLOCK = `const { setInterval } = globalThis;
globalThis.setInterval = (tick, interval, ...rest) => setInterval(interval === 1_000 ? () => {} : tick, interval, ...rest);
`;

const ROUTES: readonly ScenarioRoute[] = [
  {
    name: 'edit',
    match: { prompt: 'round the tax' },
    repeat: true,
    steps: [
      { answer: calls('edit', { path: 'tax.js', old_text: 'Math.floor', new_text: 'Math.round' }, 'I round it.') },
      { expect: { toolResult: 'Math.round' }, answer: { text: 'The tax is **rounded** now.' } },
    ],
  },
  {
    name: 'steered',
    match: { prompt: 'name the slowest' },
    steps: [{ expect: { toolResult: 'checking 2 of 2' }, answer: { text: 'The second check is the slowest.' } }],
  },
  {
    name: 'command',
    match: { prompt: 'run the checks' },
    steps: [{ answer: calls('bash', { command: 'node slow.js' }) }],
  },
  {
    name: 'endless',
    match: { prompt: 'wait for the night' },
    steps: [{ answer: calls('bash', { command: 'echo waiting; sleep 600' }, 'I wait.') }],
  },
  {
    name: 'silent',
    match: { prompt: 'stall' },
    steps: [{ fault: { kind: 'silence', afterEvents: 36 }, answer: { text: numberedLines(80) } }],
  },
  {
    name: 'wide',
    match: { prompt: 'pause' },
    steps: [{ fault: { kind: 'silence', afterEvents: 18 }, answer: { text: wideLines(40) } }],
  },
  { name: 'report', match: { prompt: 'report' }, steps: [{ answer: { text: numberedLines(500) } }] },
  { name: 'long', match: { prompt: 'count' }, steps: [{ answer: { text: numberedLines(60) } }] },
];

function numberedLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `- line ${index + 1} of the answer`).join('\n');
}

function wideLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `- line ${index + 1} ${'of the answer '.repeat(5)}`).join('\n');
}

let stage: Stage;
let simulator: ListeningSimulator;
const terminals: PseudoTerminal[] = [];

beforeEach(async () => {
  stage = openStage();
  stage.write('tax.js', TAX);
  stage.write('slow.js', SLOW);
  stage.write('package.json', '{ "type": "module" }\n');
  simulator = await createSimulator({ scenario: { routes: ROUTES } }).listen();
});

afterEach(async () => {
  for (const terminal of terminals.splice(0)) terminal.close();
  await simulator.close();
  stage.clear();
});

function open(
  args: readonly string[] = [],
  size: { readonly columns?: number; readonly rows?: number } = {},
  environment: Readonly<Record<string, string>> = {},
): PseudoTerminal {
  const reach = ['--base-url', simulator.url];
  const given = { TIDEMARK_HOME: stage.home, HOME: stage.home, ANTHROPIC_API_KEY: 'no-real-key', ...environment };
  const terminal = openTerminal([process.execPath, BIN, ...reach, ...args], stage.folder, given, size);
  terminals.push(terminal);
  return terminal;
}

/** Types a prompt and sends it. */
async function send(terminal: PseudoTerminal, text: string): Promise<void> {
  terminal.type('-l', text);
  await terminal.until(new RegExp(`^[>/] .*${text}`, 'm'));
  terminal.type('Enter');
}

/** Allows the call of the shown question. */
async function allow(terminal: PseudoTerminal): Promise<void> {
  await terminal.until(/y: allow once/);
  await terminal.press('y', /^(?![^]*y: allow once)/);
}

const readTax = (): string => readFileSync(join(stage.folder, 'tax.js'), 'utf8');

describe.skipIf(skips)('the interactive terminal', () => {
  test('runs a session from the first prompt to its continuation in another process', async () => {
    const terminal = open();
    await terminal.until(/^>/m);

    // Live output of a command, and a message to the running turn.
    await send(terminal, 'run the checks');
    await allow(terminal);
    await terminal.until(/● bash node slow\.js[^]*checking 1 of 2/);
    await send(terminal, 'name the slowest');
    await terminal.until(/» name the slowest/);
    stage.write('go', '');
    await terminal.until(/✓ bash node slow\.js[^]*The second check is the slowest\.[^]*completed in/);

    // An edit that is approved after its diff.
    await send(terminal, 'round the tax');
    await terminal.until(/-export.*Math\.floor[^]*\+export.*Math\.round/);
    expect(readTax()).toBe(TAX);
    await allow(terminal);
    await terminal.until(/The tax is rounded now\.[^]*completed in/);
    expect(readTax()).toBe(FIXED);

    // An interrupted command, and its whole output in the viewer.
    await send(terminal, 'wait for the night');
    await allow(terminal);
    await terminal.until(/^\s*waiting$/m);
    terminal.type('Escape');
    await terminal.until(/interrupted in/);
    terminal.type('C-o');
    await terminal.until(/sleep 600.*Esc back/);
    terminal.type('q');
    await terminal.until(/interrupted in[^]*^>/m);

    // A rewind that restores the file and puts the prompt into the editor.
    terminal.type('Escape', 'Escape');
    await terminal.until(/Go back to the time before which prompt\?/);
    await terminal.press('Up', /^> 2\. round the tax/m);
    await terminal.press('Enter', /Restore tax\.js\?[^]*\+export.*Math\.floor/);
    await terminal.press('Enter', /restored 1 of 1 file[^]*^> round the tax/m);
    expect(readTax()).toBe(TAX);
    terminal.type('Enter');
    await allow(terminal);
    await terminal.until(/restored 1 of 1 file[^]*The tax is rounded now\.[^]*completed in/);
    expect(readTax()).toBe(FIXED);

    await send(terminal, 'report');
    await terminal.until(/line 500 of the answer[^]*completed in/);
    await send(terminal, '/compact');
    await terminal.until(/> y compact/);
    await terminal.press('Enter', /compacted: a checkpoint replaces the records/);
    terminal.type('C-c', 'C-c');
    expect(await terminal.until(/exit: 0/)).toMatch(/continue with `tidemark --continue`/);

    const later = open(['--continue']);
    await later.until(/compacted[^]*^>/m);
    expect(later.all()).toMatch(
      /» name the slowest[^]*is the slowest\.[^]*> round the tax[^]*is rounded now\.[^]*compacted/,
    );
    expect(later.all()).not.toContain('wait for the night');
  });

  test.for([
    { title: 'of 40 columns', size: { columns: 40, rows: 20 }, environment: {} },
    { title: 'with TERM=screen-256color', size: {}, environment: { TERM: 'screen-256color' } },
    { title: 'with NO_COLOR', size: {}, environment: { NO_COLOR: '1' } },
  ])(
    'prints each line of a long answer once in a terminal $title, also after resizes',
    async ({ size, environment }) => {
      const terminal = open([], size, environment);
      await terminal.until(/^>/m);
      await send(terminal, 'count');
      await terminal.until(/line 60 of the answer[^]*completed in/);
      terminal.resize(60, 24);
      terminal.resize(50, 18);
      terminal.type('-l', 'later');
      await terminal.until(/^> later/m);
      const printed = [...terminal.all().matchAll(/line (\d+) of the answer/g)].map(([, number]) => Number(number));
      expect(printed).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
      if ('NO_COLOR' in environment) expect(terminal.styledRows().join('\n')).not.toMatch(/\u001b\[(?:3|9)\d/);
    },
  );

  test('shows the price of the first prompt while it is typed, and leaves no session', async () => {
    const terminal = open();
    await terminal.until(/^>/m);
    expect(terminal.screen()).not.toContain('next $');
    terminal.type('-l', 'half a prompt');
    await terminal.until(/half a prompt[^]*next \$0\.\d+/);
    terminal.type('C-c', 'C-c', 'C-c');
    expect(await terminal.until(/exit: 0/)).not.toContain('--continue');
  });

  test('begins with a first screen in a new session only, and breaks notes of the start between words', async () => {
    mkdirSync(join(stage.folder, '.tidemark'));
    stage.write('.tidemark/config.json', '{ "efort": "high" }');
    const terminal = open([], { columns: 60 });
    const screen = await terminal.until(/^>/m);
    expect(screen).toMatch(
      /^Tidemark \S+ · claude-\S+\n\S*shop, not trusted[^]*\/ for commands · \? for keys\nnotice: /,
    );
    expect(screen).toMatch(/^notice: the settings, skills and memory of this folder are$/m);
    await send(terminal, 'count');
    await terminal.until(/line 60 of the answer[^]*completed in/);
    terminal.type('C-d');
    await terminal.until(/exit: 0/);
    const later = open(['--continue'], { columns: 60 });
    await later.until(/completed in[^]*^>/m);
    expect(later.all()).not.toMatch(/^Tidemark |for commands/m);
  });

  test.each([
    ['light', /\u001b\[34m(?:\u001b\[49m)?◇ plan/],
    ['none', /^(?![^]*\u001b\[3\dm)/],
  ])('uses the theme %s of the settings', async (theme, colours) => {
    stage.write('tidemark.json', JSON.stringify({ display: { theme } }));
    const terminal = open(['--config', join(stage.folder, 'tidemark.json')]);
    await terminal.until(/^>/m);
    terminal.type('BTab', 'BTab', 'BTab');
    await terminal.until(/◇ plan/);
    expect(terminal.styledRows().join('\n')).toMatch(colours);
  });

  test('stays open while the viewer shows a text, also before the first prompt', async () => {
    const terminal = open();
    await terminal.until(/^>/m);
    await send(terminal, '/models');
    await terminal.until(/^\/models .*Esc back/m);
    // Nothing but the keyboard keeps the process alive.
    await new Promise((resolve) => setTimeout(resolve, 500));
    terminal.type('q');
    await terminal.until(/lines in the viewer[^]*^>/m);
    await send(terminal, 'report');
    await terminal.until(/line 500 of the answer[^]*completed in/);
  });

  test('sends a prompt that was typed before the first frame', async () => {
    const terminal = open();
    terminal.type('-l', 'count');
    terminal.type('Enter');
    await terminal.until(/line 60 of the answer[^]*completed in/);
  });

  test.each(['SIGKILL', 'SIGTERM', 'SIGHUP'] as const)(
    'keeps the draft of a terminal that %s ended',
    async (signal) => {
      const terminal = open();
      await terminal.until(/^>/m);
      terminal.type('-l', 'half a prompt');
      const drafts = join(stage.home, 'drafts');
      const fileOf = (): string | undefined => (existsSync(drafts) ? readdirSync(drafts)[0] : undefined);
      await expect.poll(fileOf).toMatch(/\.json$/);
      const [, pid = ''] = fileOf()?.split('.') ?? [];
      process.kill(Number(pid), signal);
      await terminal.until(/exit: \d+/);
      const later = open();
      await later.until(/^> half a prompt$/m);
      later.type('C-c');
      await expect.poll(fileOf).toBeUndefined();
      // The test removes the home, so it waits for the end of the terminal.
      later.type('C-c', 'C-c');
      await later.until(/exit: 0/);
    },
  );

  test('restores the terminal and exits with 70 if the first frame cannot be drawn', async () => {
    stage.write('preload.mjs', FAILING_FRAME);
    const terminal = open([], {}, { NODE_OPTIONS: `--import=${join(stage.folder, 'preload.mjs')}` });
    const screen = await terminal.until(/exit: \d+/);
    expect(screen).toMatch(/the first frame cannot be drawn[^]*exit: 70/);
    expect(screen).not.toMatch(/ScreenErrors|ERROR/);
    // The terminal echoes again.
    terminal.type('-l', 'typed later');
    await terminal.until(/typed later/);
  });

  test('shows each row of an arriving answer once after it was five times narrower and wider', async () => {
    const before = `for (let line = 1; line <= 40; line += 1) console.log('shell line', line);`;
    stage.write('preload.mjs', before);
    const terminal = open([], {}, { NODE_OPTIONS: `--import=${join(stage.folder, 'preload.mjs')}` });
    await terminal.until(/^>/m);
    await send(terminal, 'pause');
    await terminal.until(/line 5[^]*working/);
    // The editor shows that the command has drawn the new size. tmux reports a size after a moment.
    const [typed, rest] = ['a text that needs two rows'.padEnd(45, '.'), 'in a terminal that is narrow'];
    terminal.type('-l', `${typed} ${rest}`);
    for (const columns of [60, 55, 70, 50, 65]) {
      terminal.resize(columns, 30);
      await terminal.until(new RegExp(`^> ${typed}.*\n  .*narrow$`, 'm'));
      terminal.resize(100, 30);
      await terminal.until(new RegExp(`^> ${typed} ${rest}$`, 'm'));
    }
    terminal.type('Escape');
    await terminal.until(/interrupted in/);
    const numbers = (pattern: RegExp): readonly number[] =>
      [...terminal.all().matchAll(pattern)].map(([, number]) => Number(number));
    const upTo = (last = 0): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);
    const printed = numbers(/• line (\d+)/g);
    expect(printed).toEqual(upTo(printed.at(-1)));
    expect(printed.length).toBeGreaterThanOrEqual(5);
    // The command runs in two processes, and each of them loads the module.
    expect(numbers(/^shell line (\d+)/gm).slice(-40)).toEqual(upTo(40));
  });

  test('repeats only the rows of an arriving answer that a lower terminal pushed into its scrollback', async () => {
    // tmux reports a new size after a moment. A frame that is drawn before would move more rows into the scrollback.
    stage.write('preload.mjs', STOPPED_CLOCK);
    const terminal = open([], {}, { NODE_OPTIONS: `--import=${join(stage.folder, 'preload.mjs')}` });
    await terminal.until(/^>/m);
    await send(terminal, 'stall');
    await terminal.until(/line 67[^]*working/);
    // tmux reports a new size after a moment. The first line that is drawn shows that the size has arrived.
    for (const [rows, first] of [
      [24, 58],
      [30, 55],
      [20, 60],
      [30, 55],
      [22, 59],
    ] as const) {
      terminal.resize(100, rows);
      await terminal.until(new RegExp(`(?<!line ${first - 1} of the answer\n)• line ${first} [^]*line 67[^]*working`));
    }
    terminal.type('Escape');
    await terminal.until(/interrupted in/);
    const printed = [...terminal.all().matchAll(/line (\d+) of the answer/g)].map(([, number]) => Number(number));
    const answer = printed.slice(printed.lastIndexOf(1));
    expect(answer).toEqual(Array.from({ length: answer.length }, (_, index) => index + 1));
    expect(answer.length).toBeGreaterThan(60);
    expect(printed.length - answer.length).toBeLessThanOrEqual(6);
  });
});
