// Tests the interactive terminal as a user sees it: the command at a real terminal of tmux, with real keys, real tools
// in a real folder, and a simulator that answers from a scenario.

import { readFileSync } from 'node:fs';
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

const ROUTES: readonly ScenarioRoute[] = [
  {
    name: 'edit',
    match: { prompt: 'round the tax' },
    steps: [
      { answer: calls('edit', { path: 'tax.js', old_text: 'Math.floor', new_text: 'Math.round' }, 'I round it.') },
      { expect: { toolResult: 'Math.round' }, answer: { text: 'The tax is **rounded** now.' } },
    ],
  },
  {
    name: 'command',
    match: { prompt: 'run the checks' },
    steps: [{ answer: calls('bash', { command: 'node slow.js' }) }],
  },
  {
    name: 'steered',
    match: { prompt: 'name the slowest' },
    steps: [{ expect: { toolResult: 'checking 2 of 2' }, answer: { text: 'The second check is the slowest.' } }],
  },
  {
    name: 'endless',
    match: { prompt: 'wait for the night' },
    steps: [{ answer: calls('bash', { command: 'echo waiting; sleep 600' }, 'I wait.') }],
  },
];

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

async function prompt(terminal: PseudoTerminal, text: string): Promise<void> {
  terminal.type('-l', text);
  await terminal.until(new RegExp(text));
  terminal.type('Enter');
}

describe.skipIf(skips)('the interactive terminal', () => {
  test('asks before an edit with its diff, runs a command with live output, takes a message meanwhile, and continues the session later', async () => {
    const terminal = open();
    await terminal.until(/^>/m);
    await prompt(terminal, 'round the tax');
    await terminal.until(/-.*Math\.floor[^]*\+.*Math\.round[^]*y: allow once/);
    expect(readFileSync(join(stage.folder, 'tax.js'), 'utf8')).toBe(TAX);
    terminal.type('y');
    await terminal.until(/The tax is rounded now\./);
    expect(readFileSync(join(stage.folder, 'tax.js'), 'utf8')).toBe(FIXED);
  });
});
