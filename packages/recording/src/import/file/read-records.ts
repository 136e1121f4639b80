// Reads the records of one line. A valid line is one record. A damaged line is searched for valid records: after null
// bytes that a crash left, after another record without a newline, and after an incomplete (torn) record.

import type { Json } from '@tidemark/log';
import { rawElements, rawMember, rawValueEnd } from '@tidemark/core';
import { DEEPEST_JSON, isTooDeep } from '@tidemark/log';
import type { JsonObject } from './fields.ts';
import { isObject } from './fields.ts';

/** JSON value in a file, with the text from which it was parsed. */
export interface RawRecord {
  readonly value: Json;
  readonly text: string;
}

/** Valid records of a line, and a description of each problem in the line. */
export interface LineContent {
  readonly records: readonly RawRecord[];
  readonly problems: readonly string[];
}

const NOTHING: LineContent = { records: [], problems: [] };

/** Reads the records of a line. Never throws. A blank line has no records and no problems. */
export function readRecords(text: string): LineContent {
  // A torn line can also exceed the limit, because all its open brackets count. It is then not searched for valid
  // records.
  if (isTooDeep(text)) return { records: [], problems: [`nested deeper than ${DEEPEST_JSON} levels`] };
  const whole = parse(text);
  if (whole !== undefined) return { records: [whole], problems: [] };
  if (text.trim() === '') return NOTHING;
  return text.includes('\0') ? salvageAmongNulls(text) : salvage(text);
}

function parse(text: string): RawRecord | undefined {
  try {
    const value: Json = JSON.parse(text);
    return { value, text };
  } catch {
    return undefined;
  }
}

function salvageAmongNulls(text: string): LineContent {
  const pieces = text.split(/\0+/).filter((piece) => piece.trim() !== '');
  const found = pieces.map(readRecords);
  const nulls = text.length - text.replaceAll('\0', '').length;
  return {
    records: found.flatMap((content) => content.records),
    problems: [`${nulls} null bytes`, ...found.flatMap((content) => content.problems)],
  };
}

function salvage(text: string): LineContent {
  const records: RawRecord[] = [];
  const problems: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const end = rest.startsWith('{') ? rawValueEnd(rest) : rest.length + 1;
    const record = end <= rest.length ? parse(rest.slice(0, end)) : undefined;
    if (record === undefined) break;
    records.push(record);
    rest = rest.slice(end).trim();
  }
  if (records.length > 1) problems.push(`${records.length} records without a newline between them`);
  if (rest === '') return { records, problems };
  const tail = wholeRecordAtTheEnd(rest);
  if (tail !== undefined) records.push(tail);
  return { records, problems: [...problems, whatIsWrong(rest, tail)] };
}

function whatIsWrong(rest: string, tail: RawRecord | undefined): string {
  if (tail !== undefined) return 'an incomplete record, joined to the next record';
  return rest.startsWith('{') && rawValueEnd(rest) > rest.length ? 'incomplete: the record has no end' : 'not JSON';
}

const RECORD_START = /\{"(?:type|parentUuid|uuid|id|sessionId|timestamp|isSidechain|leafUuid|messageId)":/g;
const MAX_TRIES = 32;

// Finds the whole record at the end of a torn line. The torn record before it can contain objects, so an object counts
// only if it has the fields of a record.
function wholeRecordAtTheEnd(text: string): RawRecord | undefined {
  const starts = [...text.matchAll(RECORD_START)].map((match) => match.index).slice(-MAX_TRIES);
  for (const start of starts) {
    if (start === 0) continue;
    const record = parse(text.slice(start));
    if (record !== undefined && isObject(record.value) && looksLikeRecord(record.value)) return record;
  }
  return undefined;
}

function looksLikeRecord(value: JsonObject): boolean {
  const named = value['timestamp'] ?? value['uuid'] ?? value['parentUuid'] ?? value['parentId'];
  return typeof value['type'] === 'string' && named !== undefined;
}

/**
 * Returns the exact text of each block in the `message.content` of a record, in order. Parsing and printing a block
 * again would reorder integer-like keys, print `1.0` as `1`, and round numbers above 2^53. Returns an empty list if the
 * content is no list.
 */
export function rawContent(text: string): readonly string[] {
  return rawElements(rawMember(rawMember(text, 'message') ?? '', 'content') ?? '');
}
