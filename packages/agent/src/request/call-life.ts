// The life of the entries that a call writes, chosen from the pauses of its stream.

import type { Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Entry, Lifetime, Lookup, Pauses, Stream } from '@tidemark/context';
import { addPause, chooseLifetime, NO_PAUSES, tokensUpTo, unitPrice, unreadable } from '@tidemark/context';

/** How long entries are asked to live: a fixed life, or `auto`, chosen from the pauses of the session and the model's prices. */
export type Lasting = Lifetime | 'auto';

/** Input of `lifeOf`. */
export interface CallLife {
  readonly lookup: Lookup;
  readonly at: Timestamp;
  /** Entries that this request can read, shortest first. */
  readonly readable: readonly Entry[];
  /** The main stream: a side call writes what this one reads. */
  readonly stream: Stream | undefined;
}

/** Returns the life of the entries that this call writes. It reads the state of the log only, so every process chooses the same (L9). */
export function lifeOf(call: CallLife): Lifetime {
  const { capabilities } = call.lookup;
  const tokens = sizeUpTo(call.lookup, call.lookup.sequence.blocks.length - 1);
  const price = unitPrice(capabilities, call.at, tokens);
  const held = call.stream?.accepted?.cached;
  return chooseLifetime({ pauses: shown(call), capabilities, price, tokens, held, behind: call.readable.at(-1) });
}

/** Returns the pauses of the stream with the one that this request ends. The log holds that one after the answer. */
function shown({ lookup, at, readable, stream }: CallLife): Pauses {
  const { accepted, pauses = NO_PAUSES } = stream ?? {};
  if (!accepted?.cached || accepted.left === undefined) return pauses;
  const cause = unreadable(accepted.left, lookup);
  const stands = cause === undefined || cause === 'expired';
  const read = sizeUpTo(lookup, readable.at(-1)?.block ?? -1);
  const broken = stands ? 0 : Math.max(0, accepted.cached - read);
  return addPause(pauses, { ms: milliseconds(at) - milliseconds(accepted.left.at), held: accepted.cached, broken });
}

function sizeUpTo({ sequence, capabilities }: Lookup, block: number): number {
  return block < 0 ? 0 : tokensUpTo(sequence, block, capabilities.thinkingStripped === 'at-new-turn');
}
