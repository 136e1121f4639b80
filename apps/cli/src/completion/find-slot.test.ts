// Tests the meaning of the last word of a command line, with the real declarations of the commands.

import { expect, test } from 'vitest';

import { COMMANDS } from '../commands.ts';
import { createProgram } from '../program.ts';
import type { CompletionSlot } from './find-slot.ts';
import { findSlot } from './find-slot.ts';

const program = createProgram(COMMANDS, '1.2.3', { write: () => undefined, columns: 80 }, async () => undefined);

const slot = (...words: readonly string[]): CompletionSlot => findSlot(program, words);
const offered = (...words: readonly string[]): readonly string[] => slot(...words).offered.map(({ value }) => value);

test('the first word is a command, and every declared command is offered', () => {
  expect(offered('')).toEqual([...COMMANDS.map(({ name }) => name), 'help']);
  expect(offered('help', '')).toEqual(offered(''));
});

test.each(COMMANDS.map(({ name }) => name))('every option of `%s` that its help shows is offered', (name) => {
  const command = program.commands.find((one) => one.name() === name) ?? expect.unreachable();
  const shown = command.createHelp().visibleOptions(command);
  expect(offered(name, '--')).toEqual(shown.map(({ long }) => long));
  expect(offered(name, '--')).toContain('--json');
});

test('choices of an option and of an argument are offered, also after `=`', () => {
  expect(offered('run', '--mode', '')).toEqual(['read-only', 'ask', 'accept-edits', 'auto']);
  expect(slot('export', 'some-id', '--format=ht')).toMatchObject({ before: '--format=', typed: 'ht' });
  expect(offered('export', 'some-id', '--format=ht')).toEqual(['markdown', 'html', 'inspector', 'json']);
  expect(offered('keys', '')).toEqual(['list', 'set', 'remove']);
});

test.each([
  [['show', ''], 'session'],
  [['show', 'some-id', ''], 'step'],
  [['run', '--session', ''], 'session'],
  [['doctor', '--repair', ''], 'session'],
  [['run', '--mode', 'ask', '--model', ''], 'model'],
  [['run', '--mode=ask', '--model='], 'model'],
  [['models', ''], 'model'],
  [['models', 'claude', ''], 'model'],
  [['run', '--effort', ''], 'level'],
  [['mcp', 'test', ''], 'server'],
  [['import', ''], 'file'],
  [['trust', ''], 'folder'],
  [['export', '--json', ''], 'session'],
] as const)('%j expects a %s', (words, placeholder) => {
  expect(slot(...words).placeholder).toBe(placeholder);
});

test('a line that does not begin with a command has the options of `run`', () => {
  expect(offered('--mo')).toContain('--model');
  expect(slot('--model', '').placeholder).toBe('model');
  expect(offered('fix the test', '--')).toContain('--max-cost');
});

test('a word after `--` is no option', () => {
  expect(offered('simulate', '--', '--')).toEqual([]);
});
