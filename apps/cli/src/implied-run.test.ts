// What becomes a prompt, and what does not.

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
])('takes %j for a prompt', (args) => {
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
])('leaves %j as it is', (args) => {
  expect(impliedRun(args, COMMANDS)).toEqual(args);
});

test('adds nothing where there is no such command', () => {
  expect(impliedRun(['hello'], ['act'])).toEqual(['hello']);
});
