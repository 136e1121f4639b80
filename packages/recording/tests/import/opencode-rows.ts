// Functions that build rows of OpenCode for tests, and the paths of the files that the real client made.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ImportedRows } from './import-rows.ts';
import { pick } from './import-rows.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/opencode');

/** Database that the real client made, with the sessions `main`, its fork and its subagent. */
export const DATABASE: string = join(FIXTURES, 'opencode.db');

/** Folder of an older version with a session and its subagent. */
export const STORAGE: string = join(FIXTURES, 'storage');

export function exportPath(name: 'main' | 'fork'): string {
  return join(FIXTURES, `${name}.json`);
}

/** Message in a file of `opencode export`. */
export interface ExportedMessage {
  readonly info: { readonly id: string; readonly role: string; readonly tokens?: ExportedTokens };
  readonly parts: readonly { readonly id: string; readonly type: string }[];
}

interface ExportedTokens {
  readonly input: number;
  readonly cache: { readonly read: number; readonly write: number };
}

/** Content of a file of `opencode export`. */
export interface Exported {
  readonly info: { readonly id: string };
  readonly messages: readonly ExportedMessage[];
}

export function readExport(name: 'main' | 'fork'): Exported {
  return JSON.parse(readFileSync(exportPath(name), 'utf8'));
}

/** Returns a document as the client prints it. */
export function printExport(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Returns the input tokens of a message, as the client counted them. */
export function inputOf({ info }: ExportedMessage): number {
  const counts = info.tokens;
  return counts === undefined ? 0 : counts.input + counts.cache.read + counts.cache.write;
}

/** Returns the input tokens of all imported answers. */
export function importedInput({ events }: Pick<ImportedRows, 'events'>): number {
  const answers = pick(events, 'answer.received').map(({ data }) => data.usage);
  const writes = answers.flatMap((usage) => usage.writes ?? []);
  return (
    answers.reduce(
      (sum, { fresh, read, input, written }) => sum + (input ?? (fresh ?? 0) + (read ?? 0)) + (written ?? 0),
      0,
    ) + writes.reduce((sum, write) => sum + write.tokens, 0)
  );
}

const SESSION = 'ses_df00aaaaffe1';
let count = 0;

/** Returns an id that is greater than all earlier ids. */
function next(kind: 'msg' | 'prt'): string {
  count += 1;
  return `${kind}_${count.toString().padStart(6, '0')}`;
}

/** Time of the test rows. Each call returns a time one second later than the previous one. */
function now(): number {
  count += 1;
  return Date.UTC(2026, 10, 23) + count * 1000;
}

export function session(fields: object = {}): object {
  return {
    id: SESSION,
    directory: '/work',
    title: 'The shop',
    version: '1.18.33',
    time: { created: now() },
    ...fields,
  };
}

/** Returns a message and its parts as rows. */
function message(fields: object, parts: readonly object[]): readonly object[] {
  const id = next('msg');
  const info = { id, sessionID: SESSION, time: { created: now() }, ...fields };
  return [info, ...parts.map((part) => ({ id: next('prt'), sessionID: SESSION, messageID: id, ...part }))];
}

export function user(parts: readonly object[] | string, fields: object = {}): readonly object[] {
  const list = typeof parts === 'string' ? [text(parts)] : parts;
  return message({ role: 'user', agent: 'build', ...fields }, list);
}

export function assistant(parts: readonly object[], fields: object = {}): readonly object[] {
  const model = { providerID: 'anthropic', modelID: 'claude-sonnet-4-5', finish: 'stop' };
  return message({ role: 'assistant', ...model, ...fields }, parts);
}

export function text(body: string, fields: object = {}): object {
  return { type: 'text', text: body, time: { start: now(), end: now() }, ...fields };
}

export function tool(callID: string, state: object = {}): object {
  const time = { start: now(), end: now() };
  return {
    type: 'tool',
    tool: 'bash',
    callID,
    state: { status: 'completed', input: { command: 'ls', '1': 1.5 }, output: `output of ${callID}`, time, ...state },
  };
}

/** Token counts of a call, in the form of the client. */
export function tokens(input: number, read: number, write: number, output = 10, reasoning = 0): object {
  const total = input + read + write + output + reasoning;
  return { total, input, output, reasoning, cache: { read, write } };
}

export function finish(counts: object = tokens(100, 0, 900), reason = 'stop'): object {
  return { type: 'step-finish', reason, cost: 0.1, tokens: counts };
}
