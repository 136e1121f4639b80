// Tools of a workbook. They have no path argument, because the embedding program chooses the file and the model must
// not.

import type { Tool } from '@tidemark/kit';
import { defineTool } from '@tidemark/kit';
import { parseCellRef } from 'hucre/xlsx';
import { z } from 'zod';
import type { Book } from './book-file.ts';
import { editBook, openBook } from './book-file.ts';

type Sheet = Book['sheets'][number];

const MAX_ROWS = 200;

const ref = z.string().regex(/^[A-Z]{1,2}[1-9]\d{0,3}$/, 'expected a cell such as B12');
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Creates the tools `sheet_read`, `cells_write` and `sheet_add` for this file. */
export function bookTools(path: string): readonly Tool[] {
  return [
    defineTool({
      name: 'sheet_read',
      description: 'Shows the values of a sheet, row by row, as JSON; a formula is shown as its text.',
      input: z.object({ sheet: z.string() }),
      effect: 'read',
      run: async ({ sheet }) => rowsInWords(sheetNamed(await openBook(path), sheet)),
    }),
    defineTool({
      name: 'cells_write',
      description: 'Writes cells of a sheet. Text that begins with = is a formula; null empties a cell.',
      input: z.object({ sheet: z.string(), cells: z.array(z.object({ ref, value })).min(1) }),
      effect: 'write',
      touches: ['content'],
      title: ({ sheet, cells }) => `write ${cells.map((cell) => cell.ref).join(', ')} of ${sheet}`,
      run: async ({ sheet, cells }) => {
        await editBook(path, (book) => cells.forEach((cell) => writeCell(sheetNamed(book, sheet), cell)));
        return `wrote ${cells.length} cells of ${sheet}`;
      },
    }),
    defineTool({
      name: 'sheet_add',
      description: 'Adds a sheet after the others, with these headers in its first row.',
      input: z.object({ sheet: z.string().min(1).max(31), headers: z.array(z.string()) }),
      effect: 'write',
      touches: ['structure'],
      title: ({ sheet }) => `add the sheet ${sheet}`,
      run: async ({ sheet, headers }) => {
        await editBook(path, ({ sheets }) => {
          if (sheets.some(({ name }) => name === sheet)) throw new Error(`There is a sheet ${sheet} already.`);
          sheets.push({ name: sheet, rows: [headers] });
        });
        return `added ${sheet}`;
      },
    }),
  ];
}

/**
 * Returns the sheet with this name. The error lists the existing sheets, because the model reads the message of an
 * error that a tool throws.
 */
function sheetNamed({ sheets }: Book, wanted: string): Sheet {
  const found = sheets.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  throw new Error(`There is no sheet ${wanted}. There are ${sheets.map(({ name }) => name).join(', ')}.`);
}

function rowsInWords({ rows, cells }: Sheet): string {
  const shown = rows.slice(0, MAX_ROWS).map((row, at) =>
    JSON.stringify(
      row.map((held, column) => {
        const formula = cells?.get(`${at},${column}`)?.formula;
        return formula === undefined ? held : `=${formula}`;
      }),
    ),
  );
  const left = rows.length - shown.length;
  return left > 0 ? [...shown, `[${left} more rows]`].join('\n') : shown.join('\n');
}

function writeCell(sheet: Sheet, cell: { readonly ref: string; readonly value: z.infer<typeof value> }): void {
  const { row, col } = parseCellRef(cell.ref);
  const formula = typeof cell.value === 'string' && cell.value.startsWith('=') ? cell.value.slice(1) : undefined;
  const rows = sheet.rows;
  while (rows.length <= row) rows.push([]);
  const cells = (rows[row] ??= []);
  while (cells.length <= col) cells.push(null);
  cells[col] = formula === undefined ? cell.value : null;
  // An entry in `cells` takes precedence over `rows`. The existing style is kept, and an existing formula is replaced.
  const style = sheet.cells?.get(`${row},${col}`)?.style;
  sheet.cells ??= new Map();
  sheet.cells.set(`${row},${col}`, {
    ...(formula === undefined
      ? { value: cell.value, type: TYPES[typeof cell.value] ?? 'empty' }
      : { value: null, type: 'formula', formula }),
    ...(style !== undefined && { style }),
  });
}

const TYPES: Readonly<Record<string, 'string' | 'number' | 'boolean'>> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
};
