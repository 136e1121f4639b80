// What became of what each call wrote. A cache is read from the front, so what nobody has read yet is the end of a prefix;
// the next call that writes from further in front puts other entries in its place, and what was unread then stays so.

import { allWritten } from '@tidemark/model';
import type { ModelCall } from './model-call.ts';

/** A call whose writes were not all read yet: the tokens from one place of its prefix to another. */
interface UnreadWrite {
  readonly call: ModelCall;
  readonly from: number;
  readonly to: number;
}

/** Calls that wait for a reader: by model, and apart for those that hold nothing of the conversation. */
export type Unread = { readonly [line: string]: UnreadWrite };

/** What one more call does to those that wait. */
export interface Resolved {
  readonly unread: Unread;
  /** Calls whose fate is known now. */
  readonly calls: readonly ModelCall[];
}

/** One more call: it reads what waits, and writes. `alone`: it holds nothing of the conversation but the front. */
export function resolveUnread(before: Unread, call: ModelCall, alone: boolean): Resolved {
  const { read } = call.usage;
  const written = allWritten(call.usage);
  if (read === undefined || written === undefined) return { unread: before, calls: [call] };
  const line = `${call.provider} ${call.model}`;
  const name = alone ? `${line} alone` : line;
  const moved = readBy(before, line, read);
  const replaced = Object.hasOwn(moved, name) ? moved[name] : undefined;
  const { [name]: _replaced, ...others } = moved;
  const stays = written === 0 && replaced !== undefined ? { [name]: replaced } : {};
  const joins = written === 0 ? {} : { [name]: { call, from: read, to: read + written } };
  const done = written === 0 ? [call] : replaced === undefined ? [] : [wasted(replaced)];
  return { unread: { ...others, ...stays, ...joins }, calls: done };
}

function readBy(unread: Unread, line: string, read: number): Unread {
  const moved = Object.entries(unread)
    .filter(([name]) => name === line || name === `${line} alone`)
    .map(([name, one]) => [name, { ...one, from: Math.min(one.to, Math.max(one.from, read)) }] as const);
  return { ...unread, ...Object.fromEntries(moved) };
}

function wasted({ call, from, to }: UnreadWrite): ModelCall {
  return { ...call, unread: { wasted: to - from, waiting: 0 } };
}

/** The calls that still wait at the end of a log: a later call may read what they wrote. */
export function stillUnread(unread: Unread): readonly ModelCall[] {
  return Object.values(unread).map(({ call, from, to }) => ({ ...call, unread: { wasted: 0, waiting: to - from } }));
}
