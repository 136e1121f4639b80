// Tests which command lines become a prompt.

import { expect, test } from 'vitest';

import { impliedRun } from './implied-run.ts';

const COMMANDS = ['run', 'resume', 'show', 'sessions', 'help'];

test.each([
  [['fix the failing test']],
  [['hello']],
  [['fix', 'the', 'test']],
  [['--model', 'claude-opus-5-5', 'fix the test']],
  [['--json', 'fix it']],
  [['--continue', 'show me more']],
])('%j becomes a prompt', (args) => {
  expect(impliedRun(args, COMMANDS)).toEqual(['run', ...args]);
});

test.each([
  [[]],
  [['show', 'the test']],
  [['help']],
  [['--help']],
  [['--version']],
  [['sesions', '--json']],
  [['resmue']],
  [['--json', 'sessions']],
])('%j stays unchanged and is not treated as a prompt', (args) => {
  expect(impliedRun(args, COMMANDS)).toEqual(args);
});

test('nothing is added if there is no command `run`', () => {
  expect(impliedRun(['hello'], ['act'])).toEqual(['hello']);
});
