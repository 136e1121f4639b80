// The structure of a workbook as a context source: sheets, headers, tables and named ranges, never a value. The model knows
// what there is without reading it, and is told again only when that changes.

import type { ContextSource } from '@tidemark/kit';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Book } from './book-file.ts';
import { openBook } from './book-file.ts';

const MOST_HEADERS = 40;

/** Notes the structure of this file. */
export function structureSource(path: string): ContextSource {
  return {
    name: 'structure',
    inlineBytes: 8_192,
    // The digest of the words: equal revisions, equal words. A value that is written changes neither.
    revision: async () =>
      createHash('sha256')
        .update(await structureOf(path))
        .digest('hex')
        .slice(0, 12),
    render: () => structureOf(path),
    // A value in a first row is a header, so both kinds of writing are looked at; the revision decides.
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
  const more = headers.length > MOST_HEADERS ? `, and ${headers.length - MOST_HEADERS} more` : '';
  const shown = headers.length === 0 ? 'no headers' : headers.slice(0, MOST_HEADERS).join(', ') + more;
  const within = tables.map((table) => `; table ${quoted(table.name)} at ${table.range ?? 'an unknown range'}`);
  return `- ${quoted(name)}: ${shown}${within.join('')}`;
}

/** Names come from the file: each is one quoted line, whatever it holds. */
function quoted(name: string): string {
  return JSON.stringify(name);
}
