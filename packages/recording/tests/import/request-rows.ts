// Functions that build the records in which Claude Code states its requests, for tests. The digests are computed here
// by their own code, so an error in the import is found.

import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FIXTURES = join(import.meta.dirname, '../../fixtures/claude-code');

/** Transcript of a main session that Claude Code 2.1.330 wrote, with a subagent, a pause and a compaction. */
export const MAIN: string = globSync(join(FIXTURES, '*.jsonl'))[0] ?? '';

/** Transcript of the subagent of `MAIN`. */
export const SUBAGENT: string = globSync(join(FIXTURES, '*/subagents/*.jsonl'))[0] ?? '';

/** Returns the lines of a transcript. */
export function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

/** Returns the record of a line. */
export function recordOf(line: string): Record<string, unknown> {
  const record: Record<string, unknown> = JSON.parse(line);
  return record;
}

/** Value with the keys of each object sorted, and without markers. */
function plain(value: unknown, marked: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one, marked));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([key]) => marked || key !== 'cache_control');
  return new Sorted(fields.map(([key, one]) => [key, plain(one, marked)] as const));
}

// `JSON.stringify` moves keys that look like integers to the front, so the text is written here.
class Sorted {
  readonly fields: readonly (readonly [string, unknown])[];
  constructor(fields: readonly (readonly [string, unknown])[]) {
    this.fields = fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
  }
}

function text(value: unknown): string {
  if (value instanceof Sorted)
    return `{${value.fields.map(([key, one]) => `${JSON.stringify(key)}:${text(one)}`).join(',')}}`;
  return Array.isArray(value) ? `[${value.map(text).join(',')}]` : JSON.stringify(value);
}

/** Returns the digest of a value, as Claude Code computes it. */
export function digestOf(value: unknown, marked = false): string {
  return createHash('sha256')
    .update(text(plain(value, marked)))
    .digest('hex');
}

/** Message of a request, with content as a list. */
export interface SentMessage {
  readonly role: string;
  readonly content: readonly object[];
}

/** Request of a test. */
export interface SentRequest {
  readonly id: string;
  readonly system: string;
  readonly messages: readonly SentMessage[];
  readonly parameters?: object;
  /** Request that this one is written against. */
  readonly base?: SentRequest;
  readonly fields?: object;
}

/** Returns the record with system text and tools. */
export function shapeRow({ system }: SentRequest): object {
  const shape = shapeOf(system);
  return { type: 'api-request-shape', sessionId: 'ccccdddd-0000', shapeHash: digestOf(shape), shape };
}

function shapeOf(system: string): object {
  return { system: [{ type: 'text', text: system }], tools: [{ name: 'Read', input_schema: { type: 'object' } }] };
}

/** Returns the record with a message. */
export function blobRow(message: SentMessage): object {
  return { type: 'api-request-blob', sessionId: 'ccccdddd-0000', hash: digestOf(message), message };
}

/** Returns the record of the request itself. The last block of the last message has a marker. */
export function requestRow({ id, system, messages, parameters, base, fields }: SentRequest): object {
  const params = { model: 'claude-opus-4-6', max_tokens: 10, ...parameters };
  const hashes = messages.map((message) => digestOf(message));
  const before = base?.messages.map((message) => digestOf(message)) ?? [];
  const different = hashes.findIndex((hash, index) => hash !== before[index]);
  const keep = base === undefined ? 0 : different === -1 ? hashes.length : different;
  const path = ['messages', messages.length - 1, 'content', (messages.at(-1)?.content.length ?? 1) - 1];
  const value = { type: 'ephemeral', ttl: '1h' };
  const sent = messages.map((message, index) =>
    index === messages.length - 1
      ? { ...message, content: [...message.content.slice(0, -1), { ...message.content.at(-1), cache_control: value }] }
      : message,
  );
  return {
    type: 'api-request',
    sessionId: 'ccccdddd-0000',
    id,
    timestamp: '2026-11-20T12:00:00.000Z',
    version: '2.1.330',
    querySource: 'sdk',
    shapeHash: digestOf(shapeOf(system)),
    params,
    ...(base !== undefined && keep > 0 ? { base: base.id } : {}),
    keep,
    tail: hashes.slice(keep),
    cacheControl: [{ path, value }],
    requestDigest: digestOf({ ...params, ...shapeOf(system), messages: sent }, true),
    ...fields,
  };
}
