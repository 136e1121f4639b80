// Workbook as a file on disk. The file is opened for each access. A save writes a whole temporary file in the same
// folder and renames it, so a reader sees the old or the new file.

import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { RoundtripWorkbook } from 'hucre/xlsx';
import { openXlsx, saveXlsx, writeXlsx } from 'hucre/xlsx';

/** Content of a workbook file. The library keeps charts, themes and macros unchanged for saving. */
export type Book = RoundtripWorkbook;

/** Opens the current version of the file. */
export async function openBook(path: string): Promise<Book> {
  return openXlsx(await readFile(path), { readStyles: true });
}

/** Opens the file, applies `change` and saves it. If `change` throws, the file stays unchanged. */
export async function editBook<T>(path: string, change: (book: Book) => T): Promise<T> {
  const book = await openBook(path);
  const result = change(book);
  await replace(path, await saveXlsx(book));
  return result;
}

/** Writes the sample file of this example: two sheets, a table, a named range and a formula. */
export async function writeSample(path: string): Promise<void> {
  const bytes = await writeXlsx({
    sheets: [
      {
        name: 'Orders',
        rows: [
          ['Item', 'Pieces', 'Price'],
          ['Tea', 3, 4.5],
          ['Cup', 2, 7],
          ['Total', null, null],
        ],
        cells: new Map([['3,2', { value: null, type: 'formula', formula: 'SUMPRODUCT(B2:B3,C2:C3)*(1+TaxRate)' }]]),
        tables: [
          { name: 'Orders', range: 'A1:C3', columns: [{ name: 'Item' }, { name: 'Pieces' }, { name: 'Price' }] },
        ],
      },
      { name: 'Rates', rows: [['Rate'], [0.19]] },
    ],
    namedRanges: [{ name: 'TaxRate', range: 'Rates!$A$2' }],
  });
  await replace(path, bytes);
}

async function replace(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, bytes, { flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
