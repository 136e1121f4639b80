// An answer of Chat Completions as it grows: its reasoning, its words and its calls, each a part, numbered as they come.

import type { AnswerPart, StreamPart } from '@tidemark/model';
import type { WireCall, ChatMessage } from './events.ts';

/** A part that grows. `slot` is the server's number of a call. */
export type Growing =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'call';
      readonly slot: number;
      readonly call: string;
      readonly name: string;
      readonly arguments: string;
    };

/** The parts so far, and what the last piece says to whoever listens. */
export interface Grown {
  readonly parts: readonly Growing[];
  readonly says: readonly StreamPart[];
}

/** Adds a message, or a piece of one. A call without an id gets one made of `response` and its number. */
export function growMessage(parts: readonly Growing[], message: ChatMessage, response: string): Grown {
  const thought = growText({ parts, says: [] }, 'reasoning', message.reasoning_content || message.reasoning);
  const said = growText(thought, 'text', message.content || message.refusal);
  return (message.tool_calls ?? []).reduce((grown, call) => growCall(grown, call, response), said);
}

/** The finished part. Reasoning has no wire item here, so it is for people alone and never sent again. */
export function partOf(growing: Growing): AnswerPart {
  if (growing.type !== 'call') return growing;
  const { type, call, name } = growing;
  return { type, call, name, arguments: growing.arguments };
}

function growText({ parts, says }: Grown, type: 'text' | 'reasoning', more: string | null | undefined): Grown {
  if (more === null || more === undefined || more === '') return { parts, says };
  const found = parts.findIndex((part) => part.type === type);
  const index = found === -1 ? parts.length : found;
  const before = parts[index];
  const text = (before !== undefined && before.type !== 'call' ? before.text : '') + more;
  const said: StreamPart = { type: type === 'text' ? 'text.delta' : 'reasoning.delta', index, text: more };
  return { parts: placed(parts, index, { type, text }), says: [...says, said] };
}

function growCall({ parts, says }: Grown, piece: WireCall, response: string): Grown {
  const slot = piece.index ?? slotOf(parts, piece);
  // Some servers number every call 0 and tell them apart by id alone.
  const found = parts.findLastIndex((part) => part.type === 'call' && part.slot === slot && isSameCall(part, piece));
  const before = parts[found];
  const more = piece.function?.arguments ?? '';
  const index = found === -1 ? parts.length : found;
  const delta: readonly StreamPart[] = more === '' ? [] : [{ type: 'call.delta', index, arguments: more }];
  if (before?.type === 'call') {
    const grown = { ...before, arguments: before.arguments + more };
    return { parts: placed(parts, index, grown), says: [...says, ...delta] };
  }
  const call = piece.id || `call_${response}_${index}`;
  const name = piece.function?.name ?? '';
  const made: Growing = { type: 'call', slot, call, name, arguments: more };
  return { parts: placed(parts, index, made), says: [...says, { type: 'call.began', index, call, name }, ...delta] };
}

function isSameCall(part: { readonly call: string }, { id }: WireCall): boolean {
  return id === undefined || id === null || id === '' || id === part.call;
}

/** Without a number: a piece without a name belongs to the last call, one with a name is a new one. */
function slotOf(parts: readonly Growing[], piece: WireCall): number {
  const slots = parts.flatMap((part) => (part.type === 'call' ? [part.slot] : []));
  const last = Math.max(-1, ...slots);
  return piece.function?.name ? last + 1 : Math.max(0, last);
}

function placed(parts: readonly Growing[], index: number, part: Growing): readonly Growing[] {
  return index === parts.length ? [...parts, part] : parts.with(index, part);
}
