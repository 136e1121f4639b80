// Context source for the structure of a workbook: sheets, headers, tables and named ranges, but no values. The model
// knows the structure without reading the file, and receives a new note only when the structure changes.

import type { ContextSource } from '@tidemark/kit';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Book } from './book-file.ts';
import { openBook } from './book-file.ts';

const MAX_HEADERS = 40;

/** Creates a context source that notes the structure of this file. */
export function structureSource(path: string): ContextSource {
  return {
    name: 'structure',
    inlineBytes: 8_192,
    // The revision is the digest of the text, so equal revisions mean equal texts. A written value changes neither the
    // text nor the revision, unless the value is a header.
    revision: async () =>
      createHash('sha256')
        .update(await structureOf(path))
        .digest('hex')
        .slice(0, 12),
    render: () => structureOf(path),
    // A value in a first row is a header, so a write of content can change the structure too. The revision shows whether the
    // structure changed.
    affectedBy: ({ touches }) => touches.includes('structure') || touches.includes('content'),
  };
}

async function structureOf(path: string): Promise<string> {
  const { sheets, namedRanges = [] } = await openBook(path);
  const names = namedRanges.map(({ name, range }) => `- ${quoted(name)} is ${range}`);
  return [
    `Workbook ${quoted(basename(path))}. Its sheets, with their first rows:`,
    ...sheets.map(sheetInWords),
    ...(names.length === 0 ? [] : ['Named ranges:', ...names]),
  ].join('\n');
}

function sheetInWords({ name, rows, tables = [] }: Book['sheets'][number]): string {
  const [first = []] = rows;
  const headers = first.flatMap((value) => (typeof value === 'string' ? [quoted(value)] : []));
  const more = headers.length > MAX_HEADERS ? `, and ${headers.length - MAX_HEADERS} more` : '';
  const shown = headers.length === 0 ? 'no headers' : headers.slice(0, MAX_HEADERS).join(', ') + more;
  const within = tables.map((table) => `; table ${quoted(table.name)} at ${table.range ?? 'an unknown range'}`);
  return `- ${quoted(name)}: ${shown}${within.join('')}`;
}

/** Returns a name as one quoted line. Names come from the file and can contain any characters. */
function quoted(name: string): string {
  return JSON.stringify(name);
}
