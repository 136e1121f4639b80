// The life of the entries that a call writes, chosen from the pauses of its stream.

import type { Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { CacheEntry, Lifetime, Lookup, Pauses, Stream } from '@tidemark/context';
import { addPause, chooseLifetime, NO_PAUSES, tokensUpTo, unitPrice, unreadable } from '@tidemark/context';

/** How long entries are asked to live: a fixed life, or `auto`, chosen from the pauses of the session and the model's prices. */
export type Lasting = Lifetime | 'auto';

/** Input of `lifeOf`. */
export interface CallLife {
  readonly lookup: Lookup;
  readonly at: Timestamp;
  /** Entries that this request can read, shortest first. */
  readonly readable: readonly CacheEntry[];
  /** The main stream: a side call writes what this one reads. */
  readonly stream: Stream | undefined;
}

/** Returns the life of the entries that this call writes. It reads the state of the log only, so every process chooses the same (L9). */
export function lifeOf(call: CallLife): Lifetime {
  const { lookup, at, readable } = call;
  const { capabilities } = lookup;
  const tokens = sizeUpTo(lookup, lookup.sequence.blocks.length - 1);
  const price = unitPrice(capabilities, at, tokens);
  return chooseLifetime({ ...shown(call, tokens), capabilities, price, tokens, behind: readable.at(-1) });
}

/**
 * Returns the pauses of the stream with the one that this request ends (the log holds that one after the answer), and the
 * tokens that were held. Of a history that was packed again the held tokens are at most its new size, which is an estimate.
 */
function shown(
  { lookup, at, readable, stream }: CallLife,
  tokens: number,
): { readonly pauses: Pauses; readonly held?: number } {
  const { accepted, pauses = NO_PAUSES } = stream ?? {};
  if (!accepted?.cached || accepted.left === undefined) return { pauses };
  const { cached, left } = accepted;
  const cause = unreadable(left, lookup);
  const stands = cause === undefined || cause === 'expired';
  const read = sizeUpTo(lookup, readable.at(-1)?.block ?? -1);
  const broken = stands ? 0 : Math.max(0, cached - read);
  const pause = { ms: milliseconds(at) - milliseconds(left.at), held: cached, broken };
  return { pauses: addPause(pauses, pause), held: stands ? cached : Math.min(cached, tokens) };
}

function sizeUpTo({ sequence, capabilities }: Lookup, block: number): number {
  return block < 0 ? 0 : tokensUpTo(sequence, block, capabilities.thinkingStripped === 'at-new-turn');
}
