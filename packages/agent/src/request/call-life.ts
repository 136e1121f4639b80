// How long what a call writes shall live: what its stream has shown up to now, put to the odds.

import type { Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Entry, Lifetime, Lookup, Pauses, Stream } from '@tidemark/context';
import { addPause, chooseLifetime, NO_PAUSES, tokensUpTo, unitPrice, unreadable } from '@tidemark/context';

/** How long entries are asked to live: always as said, or as the pauses of the session and the model's prices have it. */
export type Lasting = Lifetime | 'auto';

/** What the life is chosen from. */
export interface CallLife {
  readonly lookup: Lookup;
  readonly at: Timestamp;
  /** Entries that this request can read, shortest first. */
  readonly readable: readonly Entry[];
  /** The main stream: a side call writes what this one reads. */
  readonly stream: Stream | undefined;
}

/** The life of what this call writes, from the log's own state alone (L9): a request is planned alike wherever it is. */
export function lifeOf(call: CallLife): Lifetime {
  const { capabilities } = call.lookup;
  const tokens = sizeUpTo(call.lookup, call.lookup.sequence.blocks.length - 1);
  const price = unitPrice(capabilities, call.at, tokens);
  return chooseLifetime({ pauses: shown(call), capabilities, price, tokens, behind: call.readable.at(-1) });
}

/** The pauses of the stream, with the one that this request ends: the log will hold it once it is answered. */
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
