// Tests the edits of the editor's text: single commands, and properties over any sequence of commands.

import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { EditCommand, EditedText } from './edit-text.ts';
import { editText, NO_TEXT, setText } from './edit-text.ts';
import { boundaryAt } from './graphemes.ts';

const type = (text: string): EditCommand => ({ edit: 'type', text });
const run = (...commands: readonly EditCommand[]): EditedText => commands.reduce(editText, NO_TEXT);
const shown = ({ buffer: { text, cursor } }: EditedText): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const words = (text: string): readonly EditCommand[] => text.split('').map(type);
const move = (movement: (EditCommand & { edit: 'move' })['movement']): EditCommand => ({ edit: 'move', movement });
const kill = (movement: (EditCommand & { edit: 'kill' })['movement']): EditCommand => ({ edit: 'kill', movement });

test('undo removes one typed word at a time, and redo returns it', () => {
  const typed = run(...words('one two'));
  const once = editText(typed, { edit: 'undo' });
  expect(shown(once)).toBe('one |');
  expect(shown(editText(once, { edit: 'undo' }))).toBe('|');
  expect(shown(editText(once, { edit: 'redo' }))).toBe('one two|');
  expect(shown(editText(editText(once, type('x')), { edit: 'redo' }))).toBe('one x|');
});

test('deletions that follow one another are kept together, and a yank inserts all of them', () => {
  const back = run(type('one two three'), kill('spaced-word-left'), kill('spaced-word-left'));
  expect(shown(back)).toBe('one |');
  expect(shown(editText(back, { edit: 'yank' }))).toBe('one two three|');
  const forward = run(type('a\nb'), move('text-start'), kill('line-end'), kill('line-end'));
  expect(shown(forward)).toBe('|b');
  expect(shown(editText(forward, { edit: 'yank' }))).toBe('a\n|b');
});

test('`yank-older` replaces the inserted text by the one that was deleted before it', () => {
  const killed = run(type('one'), kill('line-start'), type('two'), kill('line-start'), { edit: 'yank' });
  expect(shown(killed)).toBe('two|');
  const older = editText(killed, { edit: 'yank-older' });
  expect(shown(older)).toBe('one|');
  expect(shown(editText(older, { edit: 'yank-older' }))).toBe('two|');
  expect(shown(editText(run(type('x')), { edit: 'yank-older' }))).toBe('x|');
});

test('transposing exchanges the two graphemes around the cursor, or the last two of a line', () => {
  expect(shown(run(type('teh'), { edit: 'transpose' }))).toBe('the|');
  expect(shown(run(type('a👍🏽b'), move('left'), { edit: 'transpose' }))).toBe('ab👍🏽|');
  expect(shown(run(type('a'), { edit: 'transpose' }))).toBe('a|');
});

test('deleting removes a whole grapheme', () => {
  expect(shown(run(type('x👩‍👩‍👧'), { edit: 'delete', movement: 'left' }))).toBe('x|');
  expect(shown(run(type('日本'), move('text-start'), { edit: 'delete', movement: 'right' }))).toBe('|本');
});

const pieces = fc.constantFrom(
  'a',
  ' ',
  '\n',
  '語',
  '👩‍👩‍👧',
  'e\u0301',
  '\u0301',
  '\u200d',
  '\u{1f1e9}',
  '\t',
  '\u{e0200}',
  'word ',
);
const movements = fc.constantFrom(
  'left',
  'right',
  'word-left',
  'word-right',
  'spaced-word-left',
  'line-start',
  'line-end',
  'text-start',
  'text-end',
);
const changes: fc.Arbitrary<EditCommand> = fc.oneof(
  pieces.map(type),
  pieces.map((text): EditCommand => ({ edit: 'insert', text })),
  fc.record({ edit: fc.constantFrom('move', 'delete', 'kill'), movement: movements }),
  fc.record({ edit: fc.constantFrom('yank', 'yank-older', 'transpose') }),
  fc.record({ edit: fc.constant('place'), at: fc.nat(30) }),
);

test('the cursor is on a grapheme boundary after any sequence of commands', () => {
  const withUndo = fc.oneof(changes, fc.record({ edit: fc.constantFrom('undo', 'redo') }));
  fc.assert(
    fc.property(fc.array(withUndo, { maxLength: 40 }), (commands) => {
      let now = NO_TEXT;
      for (const command of commands) {
        now = editText(now, command);
        const { text, cursor } = now.buffer;
        expect(boundaryAt(text, cursor)).toBe(cursor);
      }
    }),
    { numRuns: 300 },
  );
});

test('undoing every step returns the empty text, and redoing every step returns the last text', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 40 }), (commands) => {
      const last = commands.reduce(editText, NO_TEXT);
      const steps = last.steps.undo.length;
      const times = (now: EditedText, edit: 'undo' | 'redo'): EditedText =>
        Array.from({ length: steps }).reduce((text: EditedText) => editText(text, { edit }), now);
      const undone = times(last, 'undo');
      expect(undone.buffer.text).toBe('');
      expect(times(undone, 'redo').buffer.text).toBe(last.buffer.text);
    }),
    { numRuns: 300 },
  );
});

test('`setText` replaces the text in one step', () => {
  const text = setText(run(type('old')), 'new text');
  expect(shown(text)).toBe('new text|');
  expect(shown(editText(text, { edit: 'undo' }))).toBe('old|');
});
