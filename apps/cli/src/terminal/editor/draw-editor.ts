// Draws the editor: the rows of its text around the cursor, the search or a hint, and the popup.

import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { markedText } from '../../present/marked-text.ts';
import type { CompletionPopup, DraftKind, EditorState, PromptSearch } from './editor-state.ts';
import { kindOf } from './editor-state.ts';
import type { EditorRow } from './text/layout.ts';
import { cellAt, layoutRows, shortenText, widthOfText } from './text/layout.ts';

/** Size of the editor. `rows` is the maximum number of rows. */
export interface EditorSize {
  readonly columns: number;
  readonly rows: number;
}

/** Rows of the editor, and the cell of the cursor in them. */
export interface DrawnEditor {
  readonly rows: readonly Shown[];
  readonly cursor: { readonly column: number; readonly row: number };
}

/** Cells of the sign before the text. */
const SIGN_CELLS = 2;

const MAX_POPUP_ROWS = 8;

const SIGNS: { readonly [K in DraftKind]: Shown } = {
  prompt: withStyle('bold', '>'),
  command: withStyle('yellow', '$'),
  slash: withStyle('cyan', '/'),
};

/** Returns the width of the text, in cells. One cell is kept for the cursor at the end of a row. */
export function textColumns(columns: number): number {
  return Math.max(1, columns - SIGN_CELLS - 1);
}

/** Draws the editor in at most `rows` rows. */
export function drawEditor(state: EditorState, { columns, rows }: EditorSize): DrawnEditor {
  const { text, cursor } = state.edited.buffer;
  const all = layoutRows(text, textColumns(columns), (grapheme) => state.parts.get(grapheme)?.label);
  const line = lineBelow(state, columns);
  const below = line === undefined ? 0 : Math.min(1, rows - 1);
  const names = state.popup === undefined ? 0 : Math.min(MAX_POPUP_ROWS, state.popup.items.length);
  const forPopup = Math.min(names, Math.floor(rows / 2));
  const height = Math.max(1, Math.min(all.length, rows - below - forPopup));
  const cell = cellAt(all, cursor);
  const first = Math.min(Math.max(0, cell.row - Math.floor(height / 2)), all.length - height);
  const shown = all.slice(first, first + height);
  const popup =
    state.popup === undefined ? [] : popupRows(state.popup, columns, Math.min(names, rows - below - height));
  return {
    rows: [
      ...shown.map((row, index) => [signOf(state, { index, first, height, all: all.length }), ' ', rowText(row)]),
      ...(line === undefined || below === 0 ? [] : [line]),
      ...popup,
    ],
    cursor:
      state.search === undefined || below === 0
        ? { column: SIGN_CELLS + cell.column, row: cell.row - first }
        : { column: searchCursor(state.search, columns), row: height },
  };
}

interface RowPlace {
  readonly index: number;
  readonly first: number;
  readonly height: number;
  readonly all: number;
}

/** Returns the sign before a row: the kind of the text, or an arrow where rows are hidden. */
function signOf({ edited }: EditorState, { index, first, height, all }: RowPlace): Shown {
  const above = index === 0 && first > 0;
  const below = index === height - 1 && first + height < all;
  if (above || below) return withStyle('dim', above && below ? '↕' : above ? '↑' : '↓');
  return index === 0 ? SIGNS[kindOf(edited.buffer.text)] : ' ';
}

function rowText({ pieces }: EditorRow): Shown {
  return pieces.map(({ shown, isLabel }) => (isLabel ? withStyle('cyan', shown) : shown));
}

function lineBelow({ search, hint }: EditorState, columns: number): Shown | undefined {
  if (search !== undefined) return searchLine(search, columns);
  return hint === undefined ? undefined : withStyle('dim', `  ${shortenText(hint.text, columns - SIGN_CELLS - 1)}`);
}

const SEARCH = 'search: ';

function searchLine(search: PromptSearch, columns: number): Shown {
  const query = shownQuery(search, columns);
  const isMissing = search.query !== '' && search.found === undefined;
  const space = spaceAfter(search, columns);
  const note = isMissing && space > 0 ? shortenText(' (no earlier prompt contains this)', space) : '';
  return [withStyle('dim', SEARCH), query, withStyle('dim', note)];
}

function spaceAfter(search: PromptSearch, columns: number): number {
  return columns - 1 - SEARCH.length - widthOfText(shownQuery(search, columns));
}

/** Returns the end of the query that fits. */
function shownQuery({ query }: PromptSearch, columns: number): string {
  const rows = layoutRows(query, Math.max(1, columns - SEARCH.length - 2), () => undefined);
  return (rows.at(-1)?.pieces ?? []).map(({ shown }) => shown).join('');
}

function searchCursor(search: PromptSearch, columns: number): number {
  return Math.min(columns - 1, SEARCH.length + widthOfText(shownQuery(search, columns)));
}

/** Returns the rows of the popup around the selected name. */
function popupRows({ items, selected }: CompletionPopup, columns: number, rows: number): readonly Shown[] {
  if (rows <= 0) return [];
  const first = Math.min(Math.max(0, selected - Math.floor(rows / 2)), items.length - rows);
  const shown = items.slice(first, first + rows).map((item) => ({ ...item, label: markedText(item.label) }));
  const room = columns - SIGN_CELLS - 1;
  const wide = Math.min(Math.max(...shown.map(({ label }) => widthOfText(label))), Math.max(1, room));
  return shown.map(({ label, note }, index) => {
    const name = shortenText(label, wide);
    const space = room - wide - 2;
    const after = note === undefined || space < 8 ? '' : `  ${shortenText(note, space)}`;
    const padded = `${name}${' '.repeat(Math.max(0, wide - widthOfText(name)))}`;
    const isSelected = first + index === selected;
    return isSelected ? [withStyle('cyan', `▸ ${padded}`), after] : ['  ', padded, withStyle('dim', after)];
  });
}
