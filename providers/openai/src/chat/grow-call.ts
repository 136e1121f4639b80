// Builds the calls of a streamed answer from their pieces. Servers mark the pieces of a call in different ways: with an
// index, with an id, with both, or only by their order.

import { isJsonObject } from '@tidemark/core';
import { isBlank } from '@tidemark/model';
import type { WireCall } from './events.ts';

/** A call that is not complete. */
export interface GrowingCall {
  readonly type: 'call';
  /** Identifies the call among the pieces of the stream. It is usually the index that the server gave to the call. */
  readonly slot: number;
  /** Id that the server gave to the call, if it has arrived. */
  readonly given?: string;
  readonly call: string;
  readonly name: string;
  readonly arguments: string;
  /** True if the arguments arrived as a JSON value. A later text or value replaces them. */
  readonly isWhole?: true;
}

type OtherPart = { readonly type: 'text' | 'reasoning' };

/** Returns the index of the part to which a piece belongs. If the piece begins a call, returns the number of parts. */
export function callIndex(parts: readonly (GrowingCall | OtherPart)[], piece: WireCall): number {
  const found = parts.findLastIndex((part) => part.type === 'call' && continues(part, piece, parts));
  return found === -1 ? parts.length : found;
}

function continues(call: GrowingCall, piece: WireCall, parts: readonly (GrowingCall | OtherPart)[]): boolean {
  const id = piece.id || undefined;
  const isOfSlot = piece.index === undefined || piece.index === null || piece.index === call.slot;
  if (id !== undefined && call.given !== undefined) return id === call.given && isOfSlot;
  const isLast = call === parts.findLast(({ type }) => type === 'call');
  const isNext = piece.index === undefined || piece.index === null ? isLast && id === undefined : isOfSlot;
  return isNext && !beginsAgain(call, piece);
}

/**
 * True if a piece without an id begins a new call. The piece has a name, and the call before it is already complete or
 * has another name. If the server gave an id to the call before it, the result is false, because the server then gives
 * an id to the next call too.
 */
function beginsAgain(call: GrowingCall, piece: WireCall): boolean {
  const name = piece.function?.name || undefined;
  if (name === undefined || call.name === '' || call.given !== undefined) return false;
  if (name !== call.name) return true;
  const isMore = typeof piece.function?.arguments === 'string' && !isBlank(piece.function.arguments);
  return isJsonObject(call.arguments) && isMore;
}

/** Begins a call. `index` is the index of its part, and `response` is the id of the answer. */
export function beginCall(
  parts: readonly (GrowingCall | OtherPart)[],
  piece: WireCall,
  index: number,
  response: string,
): GrowingCall {
  const slots = parts.flatMap((part) => (part.type === 'call' ? [part.slot] : []));
  const given = piece.id || undefined;
  const isTaken = parts.some((part) => part.type === 'call' && part.call === given);
  const call = given === undefined ? `call_${response}_${index}` : isTaken ? `${given}_${index}` : given;
  const slot = piece.index ?? Math.max(-1, ...slots) + 1;
  return { type: 'call', slot, ...(given !== undefined && { given }), call, name: '', arguments: '' };
}

/** Adds a piece to a call. Arguments that arrive as a JSON value replace the arguments so far. */
export function growCall(before: GrowingCall, piece: WireCall): GrowingCall {
  const { isWhole: _replaced, ...call } = before;
  const given = before.given ?? (piece.id || undefined);
  const named = {
    ...call,
    ...(given !== undefined && { given }),
    name: nameWith(before, piece.function?.name ?? ''),
  };
  const more = piece.function?.arguments ?? '';
  if (more === '') return { ...named, ...(before.isWhole && { isWhole: true }) };
  if (typeof more === 'string') return { ...named, arguments: (before.isWhole ? '' : before.arguments) + more };
  // An empty value may stand for arguments that are not known yet.
  if (more.whole === '{}' && !isBlank(before.arguments)) return { ...named, ...(before.isWhole && { isWhole: true }) };
  return { ...named, arguments: more.whole, isWhole: true };
}

/** Returns the name with a new piece added. Some servers repeat the whole name in each piece. */
function nameWith(before: GrowingCall, more: string): string {
  return more === before.name || before.arguments !== '' ? before.name || more : before.name + more;
}
