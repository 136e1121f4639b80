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
const [COLUMNS, ROWS] = [92, 30];

const PROMPT = 'The receipt test fails. Find out why and fix it.';

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
  { answer: callsOf(undefined, ['bash', { command: 'node --test' }]) },
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
];

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
    await rm(place, { recursive: true, force: true });
  }
}

/** Plays the session and takes the pictures. */
async function playSession(terminal: PseudoTerminal): Promise<void> {
  await terminal.until(/^>/m);
  await sendPrompt(terminal, PROMPT);
  await terminal.until(/allow it/i);
  await takePicture(terminal, 'terminal-approval', 'The terminal asks before an edit and shows its diff');
}

async function sendPrompt(terminal: PseudoTerminal, text: string): Promise<void> {
  terminal.type('-l', text);
  await terminal.until(new RegExp(text.slice(-20)));
  terminal.type('Enter');
}

async function takePicture(terminal: PseudoTerminal, name: string, title: string): Promise<void> {
  const rows = terminal.styledRows().map(withFixedTimes);
  const last = rows.findLastIndex((row) => row.trim() !== '');
  await writeFile(join(PICTURES, `${name}.svg`), screenSvg(rows.slice(0, last + 1), COLUMNS, title));
  console.log(`docs/pictures/${name}.svg`);
}

/** Replaces durations and the countdown of the cache by fixed ones of the same length. */
function withFixedTimes(row: string): string {
  return row.replaceAll(/\b\d+(?:\.\d+)? ?m?s\b/g, (time) => `0.1 s${' '.repeat(Math.max(0, time.length - 5))}`);
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
