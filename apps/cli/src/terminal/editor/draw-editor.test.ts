import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';

import { render } from '../../frame/shown.ts';
import type { DrawnEditor, EditorSize } from './draw-editor.ts';
import { drawEditor } from './draw-editor.ts';
import type { EditorState } from './editor-state.ts';
import { EMPTY_EDITOR, hintOf } from './editor-state.ts';
import { editText, NO_TEXT } from './text/edit-text.ts';
import { foldCharacter } from './text/folded.ts';

const PASTE = foldCharacter(0);
const parts: EditorState['parts'] = new Map([[PASTE, { kind: 'paste', label: '[paste 1: 214 lines]', text: 'x' }]]);

function stateOf(text: string, cursor: number, rest: Partial<EditorState> = {}): EditorState {
  const typed = editText(NO_TEXT, { edit: 'insert', text });
  return { ...EMPTY_EDITOR, parts, edited: editText(typed, { edit: 'place', at: cursor }), ...rest };
}

const lines = ({ rows }: DrawnEditor): readonly string[] => rows.map((row) => render(row, false));
const draw = (state: EditorState, size: Partial<EditorSize> = {}): DrawnEditor =>
  drawEditor(state, { columns: 30, rows: 6, ...size });

test('a full row keeps a cell for the cursor', () => {
  const { cursor } = draw(stateOf('x'.repeat(17), 17), { columns: 20 });
  expect(cursor).toEqual({ column: 19, row: 0 });
  expect(draw(stateOf('x'.repeat(18), 18), { columns: 20 }).cursor).toEqual({ column: 3, row: 1 });
});

test('arrows mark the rows that are not shown', () => {
  const text = 'a\nb\nc\nd\ne\nf';
  expect(lines(draw(stateOf(text, 11), { rows: 3 }))).toEqual(['↑ d', '  e', '  f']);
  expect(lines(draw(stateOf(text, 0), { rows: 3 }))).toEqual(['> a', '  b', '↓ c']);
  expect(lines(draw(stateOf(text, 4), { rows: 1 }))).toEqual(['↕ c']);
});

test('the popup has at most half of the rows next to a long text, and shows the selected name', () => {
  const items = Array.from({ length: 20 }, (_, index) => ({ label: `file-${index}.ts`, text: `@file-${index}.ts ` }));
  const popup = { from: 0, to: 1, items, selected: 10 };
  const shown = lines(draw(stateOf('a\nb\nc\nd\ne\nf', 11, { popup })));
  expect(shown).toEqual(['↑ d', '  e', '  f', '  file-9.ts ', '▸ file-10.ts', '  file-11.ts']);
});

test('the summary of a command is shortened, and left out when there is no space for it', () => {
  const items = [{ label: '/cost', note: 'shows what the session cost so far', text: '/cost' }];
  const popup = { from: 0, to: 1, items, selected: 0 };
  expect(lines(draw(stateOf('/', 1, { popup })))).toEqual(['/ /', '▸ /cost  shows what the sess…']);
  expect(lines(draw(stateOf('/', 1, { popup }), { columns: 14 }))).toEqual(['/ /', '▸ /cost']);
});

test('the drawn rows never exceed the size, and the cursor is inside them', () => {
  const word = fc.constantFrom('a', ' ', '\n', '語', '👩‍👩‍👧', 'e\u0301', '\t', PASTE, 'words and words ', '!', '/');
  const items = fc.array(
    fc.record({ label: fc.string({ unit: word, minLength: 1 }), note: fc.string({ unit: word }), text: fc.string() }),
    { minLength: 1, maxLength: 12 },
  );
  const rest = fc.record(
    {
      popup: items.map((all) => ({ from: 0, to: 0, items: all, selected: all.length - 1 })),
      search: fc.string({ unit: word }).map((query) => ({ query, found: undefined, before: NO_TEXT })),
      hint: fc.string({ unit: word }).map((text) => hintOf(text)),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.string({ unit: word, maxLength: 40 }),
      fc.nat(60),
      rest,
      fc.record({ columns: fc.integer({ min: 12, max: 90 }), rows: fc.integer({ min: 1, max: 12 }) }),
      (text, at, more, size) => {
        const drawn = drawEditor(stateOf(text, at, more), size);
        const shown = lines(drawn);
        expect(shown.length).toBeLessThanOrEqual(size.rows);
        for (const row of shown) {
          expect(row).not.toMatch(/[\n\t]/);
          expect(stringWidth(row)).toBeLessThanOrEqual(size.columns);
        }
        expect(drawn.cursor.row).toBeLessThan(shown.length);
        expect(drawn.cursor.column).toBeLessThan(size.columns);
      },
    ),
    { numRuns: 500 },
  );
});
