// Tests which command lines become a prompt.

import { expect, test } from 'vitest';

import { impliedRun, requireKnownHelp } from './implied-run.ts';

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

test.each([
  [['frob', '--help'], 'there is no command "frob"'],
  [['frob', '-h', '--json'], 'there is no command "frob"'],
  [['resmue', '--help'], 'there is no command "resmue"'],
  [['help', 'frob'], 'there is no command "frob"'],
])('the help of an unknown command is refused: %j', (args, message) => {
  expect(() => requireKnownHelp(args, COMMANDS)).toThrow(message);
});

test.each([
  [['--help']],
  [['help']],
  [['help', 'show']],
  [['show', '--help']],
  [['--model', 'claude-opus-5-5', '--help']],
  [['fix the test', '--help']],
  [['explain', '--', '--help']],
  [['frob']],
])('%j asks for no help of an unknown command', (args) => {
  expect(() => requireKnownHelp(args, COMMANDS)).not.toThrow();
});
