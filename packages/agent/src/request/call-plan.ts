// What is decided about one call: its markers, and what it is expected to read, write and cost.

import type { Timestamp } from '@tidemark/log';
import type { Keeping, Outlook, State } from '@tidemark/context';
import {
  forecast,
  itemAt,
  keyInForce,
  learntOf,
  plan,
  planKeeping,
  readableEntries,
  slice,
  tokensUpTo,
  turnStartOf,
} from '@tidemark/context';
import type { Capabilities, Marker } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { Lasting } from './call-life.ts';
import { lifeOf } from './call-life.ts';
import { newHash } from '../session/node-hash.ts';
import type { Line, Resize } from './line.ts';

/** What a plan needs beside state and line. */
export interface PlanOptions {
  readonly at: Timestamp;
  readonly capabilities: Capabilities;
  /** `auto` unless said. */
  readonly ttl?: Lasting;
  /** Set for a side call. */
  readonly beside?: boolean;
  /** Set for a side call that holds nothing of the main history. */
  readonly history?: 'none';
  /** Of a side call that holds the main history: the last block of that. */
  readonly historyEnd?: number;
  readonly keeps?: 'refresh' | 'promotion';
  /** Set where the blocks' sizes are recorded: nothing is learnt from what was measured. */
  readonly resize?: Resize;
}

/** The markers of a call, and its forecast. */
export interface CallPlan {
  readonly markers: readonly Marker[];
  /** Where the provider keeps entries by itself. */
  readonly keeping: Keeping | undefined;
  /** The cache key that is sent. */
  readonly key: string | undefined;
  readonly outlook: Outlook;
  /** What a call on its way is writing: until its answer begins, this one cannot read it. */
  readonly racing: Racing | undefined;
  /** Tokens of all blocks before any scale; absent where a recording told their sizes. */
  readonly whole: number | undefined;
}

/**
 * Plans the next call from the log's own state and the line alone (L9). A side call goes on from what the main stream sent
 * last, as the main stream itself would: it reads the same entries.
 */
export function planCall(state: State, line: Line, options: PlanOptions): CallPlan {
  const { sequence } = line;
  const { at, capabilities, ttl = 'auto', beside = false } = options;
  const { entries, front: sentFront } = state.cache;
  const main = state.streams['main'];
  const { accepted, reach = {} } = (options.history === 'none' ? undefined : main) ?? {};
  const key = routingKey(state, line);
  // What is marked is found by its bytes; only what the provider keeps by itself is kept under a key.
  const lookup = { sequence, capabilities, now: Date.parse(at), key: capabilities.implicit && key };
  const readable = readableEntries(entries, lookup);
  const end = accepted?.prepared.markers.at(-1);
  const stands = end !== undefined && itemAt(sequence.prefixes, end.block) === end.prefix;
  const { historyEnd, keeps } = options;
  const promotes = keeps === 'promotion';
  // What is only kept lives on as it was written: a longer life behind a shorter one is asked for by a promotion alone.
  const chosen = (ttl === 'auto' || keeps === 'refresh') && !promotes;
  const life = promotes ? '1h' : chosen || ttl === 'auto' ? lifeOf({ lookup, at, readable, stream: main }) : ttl;
  const planned = { sequence, capabilities, readable, ttl: life, chosen, beside, keeps: keeps !== undefined };
  const markers = plan({
    ...planned,
    ...(historyEnd === undefined ? {} : { historyEnd }),
    ...(stands ? { acceptedEnd: end.block } : {}),
  });
  const marked = markers.map(({ block }) => block);
  const keeping = planKeeping({ sequence, capabilities, readable, marked, beside });
  const sizes = options.resize === undefined ? 'estimated' : 'recorded';
  const strips = capabilities.thinkingStripped === 'at-new-turn';
  const sent = accepted?.spans ?? 0;
  const { model } = line.materials.epoch.opened;
  const unsent =
    unsentTail(line, sent, strips) +
    unsentShort(line, state, sent) +
    unsentThinking(line, reach[model] ?? 0, sent, strips) +
    unsentFront(line, sentFront);
  const ratio = learntOf(state).whole;
  const outlook = namedLoss(
    forecast({ lookup, at, markers, keeping, readable, accepted, model, ratio, unsent, sizes }),
    beside,
  );
  const whole = sizes === 'recorded' ? undefined : tokensUpTo(sequence, sequence.blocks.length - 1, strips);
  const racing = racingWith(state, line, { outlook, strips, own: beside ? undefined : 'main' });
  return { markers, keeping, key, outlook, racing, whole };
}

/** A prefix that a call on its way is writing. */
export interface Racing {
  /** Estimated tokens of this request up to its end. */
  readonly tokens: number;
  readonly prefix: string;
}

interface Race {
  readonly outlook: Outlook;
  readonly strips: boolean;
  /** The stream of this call, where it has one already. */
  readonly own: string | undefined;
}

/** The longest prefix that this request shares with what another call on its way leaves, where that can be cached. */
function racingWith(state: State, { sequence, materials }: Line, { outlook, strips, own }: Race): Racing | undefined {
  const shared = pendingPlaces(state, own).filter(({ block, prefix }) => itemAt(sequence.prefixes, block) === prefix);
  const [last] = shared.toSorted((a, b) => b.block - a.block);
  if (last === undefined) return undefined;
  const { read, write, fresh } = outlook.forecast;
  const whole = tokensUpTo(sequence, sequence.blocks.length - 1, strips);
  const part = tokensUpTo(sequence, last.block, strips) / Math.max(1, whole);
  const tokens = Math.round(part * (read + write + fresh));
  return tokens < (materials.capabilities.floor ?? 0) ? undefined : { tokens, prefix: last.prefix };
}

/** The places at which calls on their way leave entries. */
export function pendingPlaces(
  { streams }: State,
  own: string | undefined,
): readonly { readonly block: number; readonly prefix: string }[] {
  return Object.entries(streams).flatMap(([name, { pending }]) =>
    name === own || pending === undefined
      ? []
      : [...pending.prepared.markers, ...(pending.prepared.kept?.places ?? [])],
  );
}

/** Parameters of the main stream change with an epoch alone, which names them; a side call can have its own. */
function namedLoss(outlook: Outlook, beside: boolean): Outlook {
  const { loss } = outlook;
  return beside || loss?.cause !== 'parameter' ? outlook : { ...outlook, loss: { ...loss, cause: 'opened' } };
}

/** What the provider is told to route by, where the model has a use for it and the encoder a place. */
function routingKey(state: State, { materials: { encoder, capabilities } }: Line): string | undefined {
  if (encoder.routing === undefined || capabilities.routing === undefined) return undefined;
  return keyInForce(state, capabilities.routing, newHash);
}

/**
 * Tokens of the tail that no accepted request of this stream held: their ordinals are at or above what it held. Thinking
 * that the provider strips is no part of the request, and so not of this.
 */
function unsentTail({ sequence, ordinals }: Line, sent: number, strips: boolean): number {
  let index = sequence.blocks.length - 1;
  while (index >= sequence.front && (itemAt(ordinals, index) ?? 0) >= sent) index -= 1;
  const tokens = tokensUpTo(sequence, sequence.blocks.length - 1, strips) - tokensUpTo(sequence, index, strips);
  // A checkpoint stands first, and is newer than what is kept behind it.
  const leads = index > sequence.front && (itemAt(ordinals, sequence.front) ?? 0) >= sent;
  return tokens + (leads ? (itemAt(sequence.blocks, sequence.front)?.tokens ?? 0) : 0);
}

/** Tokens of results that were sent whole, and that nobody was sent shortened yet. */
function unsentShort({ sequence: { blocks }, ordinals }: Line, { epoch, streams }: State, sent: number): number {
  const accepted = streams['main']?.accepted?.position ?? -1;
  if (epoch === undefined || epoch.shortened.size === 0 || accepted > epoch.position) return 0;
  return slice(blocks).reduce((sum, { origin, tokens }, index) => {
    const isOne =
      origin.from === 'event' && epoch.shortened.has(origin.position) && (itemAt(ordinals, index) ?? 0) < sent;
    return isOne ? sum + tokens : sum;
  }, 0);
}

/** Tokens of thinking that other models were not sent: after a switch back it goes out for the first time. */
function unsentThinking({ sequence, ordinals }: Line, reach: number, sent: number, strips: boolean): number {
  if (reach >= sent) return 0;
  const first = Math.max(sequence.front, strips ? turnStartOf(sequence).block : 0);
  let tokens = 0;
  for (let index = sequence.blocks.length - 1; index >= first; index -= 1) {
    const block = itemAt(sequence.blocks, index);
    const ordinal = itemAt(ordinals, index) ?? 0;
    if (block?.holds === 'thinking' && ordinal >= reach && ordinal < sent) tokens += block.tokens;
  }
  return tokens;
}

/** Tokens of the front that no accepted request held: its blocks are the tools, then the texts that are not blank. */
function unsentFront({ front, materials: { texts } }: Line, sent: ReadonlySet<string>): number {
  const digests = [...texts.tools, ...texts.layers.filter(({ text }) => !isBlank(text))].map(
    ({ record }) => record.digest,
  );
  return front.blocks.reduce((sum, block, index) => (sent.has(digests[index] ?? '') ? sum : sum + block.tokens), 0);
}
