// Parser for the output of `rg --json`. Parses only the fields that are used.

import { z } from 'zod';

/** A matching line or a context line. */
export interface GrepLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /**
   * Bytes of the line in the form that ripgrep read, with its line end. `offset` is the start of the line in bytes, as
   * in `FoundLine`.
   */
  readonly raw: Uint8Array;
  readonly offset: number;
  /** Start and end of the first match, in characters of `text`. Absent for a context line. */
  readonly match?: readonly [start: number, end: number];
  /** All matches of the line, in bytes of `raw`. Empty for a context line. */
  readonly spans: readonly { readonly start: number; readonly end: number }[];
}

const words = z.union([z.object({ text: z.string() }), z.object({ bytes: z.base64() })]);

const line = z.object({
  path: words,
  lines: words,
  line_number: z.int(),
  absolute_offset: z.int(),
  submatches: z.array(z.object({ start: z.int(), end: z.int() })),
});

const record = z.discriminatedUnion('type', [
  z.object({ type: z.literal('match'), data: line }),
  z.object({ type: z.literal('context'), data: line }),
  z.object({ type: z.enum(['begin', 'end', 'summary']) }),
]);

/**
 * Parses a record of ripgrep. Returns the line if the record contains one. Returns `summary` for the last record of a
 * search. For other records, returns `undefined`.
 */
export function readGrepRecord(json: string): GrepLine | 'summary' | undefined {
  const read = record.parse(JSON.parse(json));
  if (read.type === 'summary') return 'summary';
  if (read.type !== 'match' && read.type !== 'context') return undefined;
  const { path, lines, line_number, absolute_offset: offset, submatches } = read.data;
  const bytes = bytesOf(lines);
  const text = withoutEnd(bytes.toString());
  const found = { path: bytesOf(path).toString(), line: line_number, text, raw: bytes, offset, spans: submatches };
  const [first] = submatches;
  if (read.type === 'context') return found;
  const before = (end: number): number => bytes.subarray(0, end).toString().length;
  return { ...found, match: [before(first?.start ?? 0), before(first?.end ?? 0)] };
}

function bytesOf(value: z.infer<typeof words>): Buffer {
  return 'text' in value ? Buffer.from(value.text) : Buffer.from(value.bytes, 'base64');
}

function withoutEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
