// `npm run pictures`: runs a session in the interactive terminal and writes pictures of its screen to `docs/pictures`.
// The terminal belongs to tmux, the project is the one of the demo, and a simulator answers from a script. Times and ids
// are replaced by fixed ones, so that another run writes the same bytes.

import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { PlannedAnswer, ScenarioStep } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';

import type { PseudoTerminal } from '../apps/cli/tests/pseudo-terminal.ts';
import { openTerminal } from '../apps/cli/tests/pseudo-terminal.ts';
import { screenSvg } from './screen-svg.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PICTURES = join(ROOT, 'docs/pictures');
const [COLUMNS, ROWS] = [92, 34];

const PROMPT = 'The receipt test fails. Find out why and fix it.';

const SECOND_PROMPT = 'Which files use it for discounts?';

const STEPS: readonly ScenarioStep[] = [
  {
    answer: callsOf(
      'I look at the code that computes the tax.',
      ['read', { path: 'src/tax.js' }],
      ['grep', { pattern: 'Math\\.floor', path: 'src' }],
    ),
  },
  {
    answer: callsOf('`taxOn` cuts off half cents. AGENTS.md asks for `roundHalfUp`.', [
      'edit',
      {
        path: 'src/tax.js',
        old_text: 'Math.floor((cents * rate) / 100)',
        new_text: 'roundHalfUp((cents * rate) / 100)',
      },
    ]),
  },
  {
    answer: callsOf('It needs an import. Then I run the tests.', [
      'edit',
      {
        path: 'src/tax.js',
        old_text: '/** Rates by kind',
        new_text: "import { roundHalfUp } from './money.js';\n\n/** Rates by kind",
      },
    ]),
  },
  { answer: callsOf(undefined, ['bash', { command: "node --test | grep -E 'pass|fail'" }]) },
  {
    answer: {
      text: [
        'The test passes now.',
        '',
        '- `taxOn` **cut off** half cents, so 0.875 became 0.87.',
        '- It now uses `roundHalfUp`, as AGENTS.md asks.',
        '',
        '| file | change |',
        '|---|---|',
        '| `src/tax.js` | rounds half cents up |',
      ].join('\n'),
    },
  },
  { answer: { text: 'Only `src/receipt.js` computes discounts, and it calls `taxOn` for each line.' } },
];

const QUESTION = /y: allow once/;

await makePictures();

async function makePictures(): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'tidemark-pictures-'));
  const folder = join(place, 'shop');
  const simulator = await createSimulator({ scenario: { steps: STEPS }, idSeed: 'pictures' }).listen();
  let terminal: PseudoTerminal | undefined;
  try {
    await cp(join(ROOT, 'apps/cli/demo/project'), folder, { recursive: true });
    execFileSync('git', ['init', '--quiet', '--initial-branch', 'main', folder]);
    const environment = { HOME: place, TIDEMARK_HOME: join(place, 'home'), ANTHROPIC_API_KEY: 'unused' };
    const command = [process.execPath, join(ROOT, 'apps/cli/bin/tidemark.cjs'), '--base-url', simulator.url, '--trust'];
    terminal = openTerminal(command, folder, environment, { columns: COLUMNS, rows: ROWS });
    await mkdir(PICTURES, { recursive: true });
    await playSession(terminal);
  } finally {
    terminal?.close();
    await simulator.close();
    await rm(place, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Plays the session and takes the pictures. */
async function playSession(terminal: PseudoTerminal): Promise<void> {
  await terminal.until(/^>/m);
  await sendText(terminal, PROMPT);
  await terminal.until(QUESTION);
  await takePicture(terminal, 'terminal-approval', 'The terminal asks before an edit and shows its diff');
  await allowUntil(terminal, /completed in[^]*next \$/);
  await takePicture(terminal, 'terminal-turn', 'A turn with diffs, its cost, and the status line with the next price');
  await sendText(terminal, '/context');
  await terminal.until(/Esc back/);
  await takePicture(terminal, 'terminal-context', 'The command /context shows what fills the window');
  await terminal.press('q', /in the viewer[^]*^>/m);
  await sendText(terminal, SECOND_PROMPT);
  await terminal.until(/discounts[^]*completed in/);
  terminal.type('Escape', 'Escape');
  await terminal.until(/Go back to the time before which prompt[^]*Enter: choose/);
  await takePicture(terminal, 'terminal-rewind', 'A list of the earlier prompts to go back to');
  await terminal.press('Up', /^> 1\./m);
  await terminal.press('Enter', /Restore[^]*Enter: choose/);
  await takePicture(terminal, 'terminal-restore', 'The terminal asks before it restores a file');
}

/** Allows each call until the screen matches. */
async function allowUntil(terminal: PseudoTerminal, matches: RegExp): Promise<void> {
  for (;;) {
    const shown = await terminal.until(new RegExp(`${QUESTION.source}|${matches.source}`));
    if (matches.test(shown) && !QUESTION.test(shown)) return;
    await terminal.press('y', /^(?![^]*y: allow once)/);
  }
}

async function sendText(terminal: PseudoTerminal, text: string): Promise<void> {
  terminal.type('-l', text);
  await terminal.until(new RegExp(text.slice(-20).replaceAll(/[.?]/g, String.raw`\$&`)));
  terminal.type('Enter');
}

async function takePicture(terminal: PseudoTerminal, name: string, title: string): Promise<void> {
  const rows = terminal.styledRows().filter(isOnEachMachine).map(withFixedTimes);
  const last = rows.findLastIndex((row) => row.trim() !== '');
  await writeFile(join(PICTURES, `${name}.svg`), screenSvg(rows.slice(0, last + 1), COLUMNS, title));
  console.log(`docs/pictures/${name}.svg`);
}

/** Replaces durations, times, ids and the countdown of the cache by fixed ones. */
function withFixedTimes(row: string): string {
  return row
    .replaceAll(/\b\d+(?:\.\d+)? m?s\b/g, '0.8 s')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-11-23 09:30')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '1f2e3d4c-5b6a-4788-9a0b-c1d2e3f4a5b6')
    .replaceAll(/cache \d:\d\d/g, 'cache 4:50');
}

/** Returns false for the row that only a machine shows on which the script runs as root. */
function isOnEachMachine(row: string): boolean {
  return !row.includes('commands can write to every file');
}

/** Returns an answer with a text and calls. */
function callsOf(
  text: string | undefined,
  ...calls: readonly (readonly [name: string, input: Readonly<Record<string, unknown>>])[]
): PlannedAnswer {
  return {
    ...(text !== undefined && { text }),
    calls: calls.map(([name, input]) => ({ name, arguments: input })),
  };
}
