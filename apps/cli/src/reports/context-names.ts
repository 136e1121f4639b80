// Names for the parts of the context, collected from the records of a session: the kind of a record, the tool and the
// file of a call, and the turn.

import type { AnswerPart, ContentPart, EventOf, Recorded, RecordedOf } from '@tidemark/log';

/** Kinds of content in the context. */
export type ContentKind =
  | 'system text'
  | 'tool definitions'
  | 'checkpoint'
  | 'notes'
  | 'skills'
  | 'prompts'
  | 'notifications'
  | 'answers'
  | 'reasoning'
  | 'tool calls'
  | 'tool results'
  | 'other';

/** A tool call: its tool, and the file that it is about. */
export interface NamedCall {
  readonly tool: string;
  readonly file?: string;
}

/** A turn, with its first words. Numbers begin at 1. */
export interface NamedTurn {
  readonly turn: number;
  readonly words: string;
}

/** Tools that were appended after the front. */
export type AddedTools = EventOf<'tools.changed'>['data']['added'];

/** Names of one session. They are filled record by record. */
export interface ContextNames {
  readonly kinds: Map<number, ContentKind>;
  /** Calls by their recorded id. */
  readonly calls: Map<string, NamedCall>;
  /** Id of the call that each result record closes. */
  readonly results: Map<number, string>;
  /** Tools that each record appended to the list of tools. */
  readonly added: Map<number, AddedTools>;
  readonly turns: { readonly from: number; readonly turn: NamedTurn }[];
}

/** Returns empty names. */
export function emptyNames(): ContextNames {
  return { kinds: new Map(), calls: new Map(), results: new Map(), added: new Map(), turns: [] };
}

/** Adds the names that a record contains. Paths are shown relative to the workspace. */
export function addNames(names: ContextNames, record: Recorded, workspace: string): void {
  switch (record.kind) {
    case 'turn.started':
      names.turns.push({ from: record.position, turn: { turn: names.turns.length + 1, words: '' } });
      return;
    case 'prompt.given':
      names.kinds.set(record.position, 'prompts');
      return nameTurn(names, record.data.parts);
    case 'notification.received':
      return void names.kinds.set(record.position, 'notifications');
    case 'context.noted':
      return void names.kinds.set(record.position, record.data.source.startsWith('skill:') ? 'skills' : 'notes');
    case 'tools.changed':
      names.kinds.set(record.position, 'tool definitions');
      return void names.added.set(record.position, record.data.added);
    case 'history.compacted':
      return void names.kinds.set(record.position, 'checkpoint');
    case 'answer.received':
    case 'answer.interrupted':
      names.kinds.set(record.position, 'answers');
      for (const part of record.data.parts) addCall(names, part, workspace);
      return;
    case 'tool.returned':
    case 'tool.failed':
      return addResult(names, record, workspace);
    case 'tool.abandoned':
      names.kinds.set(record.position, 'tool results');
      return void names.results.set(record.position, record.data.call);
    default:
      return;
  }
}

const MAX_WORDS = 40;

function nameTurn({ turns }: ContextNames, parts: readonly ContentPart[]): void {
  const last = turns.at(-1);
  if (last === undefined || last.turn.words !== '') return;
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
  const words = text.replaceAll(/\s+/g, ' ').trim();
  const shortened = words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS - 1)}…` : words;
  turns[turns.length - 1] = { from: last.from, turn: { turn: last.turn.turn, words: shortened } };
}

function addCall({ calls }: ContextNames, part: AnswerPart, workspace: string): void {
  if (part.type !== 'call') return;
  const file = pathIn(part.arguments);
  calls.set(part.call, {
    tool: part.name,
    ...(file !== undefined && { file: relative(file, workspace) }),
  });
}

/** Returns the argument that names a file, if the arguments of the call contain one. */
function pathIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('path' in value)) return undefined;
    return typeof value.path === 'string' ? value.path : undefined;
  } catch {
    return undefined;
  }
}

function addResult(
  { kinds, calls, results }: ContextNames,
  { position, data }: RecordedOf<'tool.returned' | 'tool.failed'>,
  workspace: string,
): void {
  kinds.set(position, 'tool results');
  results.set(position, data.call);
  const [file, ...more] = data.files ?? [];
  const call = calls.get(data.call);
  if (call === undefined || file === undefined || more.length > 0) return;
  calls.set(data.call, { ...call, file: relative(file.path, workspace) });
}

function relative(path: string, workspace: string): string {
  if (path.startsWith(`${workspace}/`)) return path.slice(workspace.length + 1);
  return path.replace(/^\.\//, '');
}

/** Returns the call of a part. An id that was used before is sent with the position of its answer at its end. */
export function callOf(
  { calls, results }: ContextNames,
  { position, call }: { readonly position: number; readonly call?: string },
): NamedCall | undefined {
  const recorded = results.get(position) ?? call;
  if (recorded === undefined) return undefined;
  return calls.get(recorded) ?? calls.get(recorded.replace(/_\d+_*$/, ''));
}

/** Returns the turn that contains a record. Returns `undefined` for a record before the first turn. */
export function turnOf({ turns }: ContextNames, position: number): NamedTurn | undefined {
  let low = 0;
  let high = turns.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((turns[middle]?.from ?? Infinity) <= position) low = middle + 1;
    else high = middle;
  }
  return turns[low - 1]?.turn;
}
