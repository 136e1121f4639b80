// The plan of one call: its markers, what it is expected to read, write and cost, and how much of it was never sent before.

import { defined } from '@tidemark/core';
import type { CacheEntry, Keeping, Lifetime, Lookup, Outlook, Pauses, State, Stream } from '@tidemark/context';
import {
  NO_PAUSES,
  addPause,
  blockSizes,
  chooseLifetime,
  estimateTokens,
  forecast,
  isAlive,
  isOfOther,
  itemAt,
  keyInForce,
  leftOutNotice,
  newTextRatio,
  plan,
  planKeeping,
  readableEntries,
  scaleAt,
  sizeByBlock,
  slice,
  tokensUpTo,
  turnStartOf,
  unitPrice,
  unreadable,
} from '@tidemark/context';
import type { SizeForecast, Timestamp } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Capabilities, Marker, Span } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { Lasting } from '../ports/runtime.ts';
import { newHash } from '../session/materials.ts';
import type { PromptStream, Resize } from './prompt-stream.ts';

/** Input of a plan, with the state and the prompt stream. */
export interface PlanOptions {
  readonly at: Timestamp;
  readonly capabilities: Capabilities;
  /** The account that is asked; absent where it is not known. */
  readonly account?: string | undefined;
  /** Default: `auto`. */
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
  /** The sizes of its blocks before any scale; absent where a recording told them. */
  readonly blocks?: Pick<SizeForecast, 'whole' | 'since' | 'media'>;
}

/**
 * Plans the next call from the log's own state and the prompt stream alone (L9). A side call goes on from what the main stream sent
 * last, as the main stream itself would: it reads the same entries.
 */
export function planCall(state: State, promptStream: PromptStream, options: PlanOptions): CallPlan {
  const { sequence } = promptStream;
  const { at, capabilities, ttl = 'auto', beside = false } = options;
  const { entries } = state.cache;
  const main = state.streams['main'];
  const { accepted, reach = {} } = (options.history === 'none' ? undefined : main) ?? {};
  const key = routingKey(state, promptStream);
  // What is marked is found by its bytes; only what the provider keeps by itself is kept under a key.
  const lookup = {
    sequence,
    capabilities,
    now: Date.parse(at),
    key: capabilities.implicit && key,
    account: options.account,
  };
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
    ...defined({ historyEnd }),
    ...(stands ? { acceptedEnd: end.block } : {}),
  });
  const marked = markers.map(({ block }) => block);
  const keeping = planKeeping({ sequence, capabilities, readable, marked, beside });
  const sizes = options.resize === undefined ? 'estimated' : 'recorded';
  const strips = capabilities.thinkingStripped === 'at-new-turn';
  const sent = accepted?.spans ?? 0;
  const { model } = promptStream.materials.epoch.opened;
  const { ordinals } = promptStream;
  const known = {
    lookup,
    accepted,
    model,
    ratio: newTextRatio(state, model),
    scales: state.scales,
    ordinals,
    sizes,
  } as const;
  const unsent = unsentTokens(promptStream, state, {
    sent,
    reach: (Object.hasOwn(reach, model) ? reach[model] : undefined) ?? 0,
    strips,
    scaleOf: (block) => scaleAt(known, block),
  });
  const begun =
    capabilities.implicit?.at === 'grid' ? commonBeginning(promptStream, state, lookup, keeping?.hit) : undefined;
  const beginning = begun === undefined ? 0 : Math.floor(begun.tokens * scaleAt(known, begun.block));
  const outlook = namedLoss(forecast({ ...known, at, markers, keeping, readable, unsent, beginning }), beside);
  const caller = { own: beside ? undefined : 'main', account: options.account };
  const racing = racingWith(state, promptStream, sizeByBlock({ ...known, readable }), caller);
  return { markers, keeping, key, outlook, racing, ...(sizes === 'recorded' ? {} : { blocks: blockSizes(known) }) };
}

/** A prefix that a call on its way is writing. */
export interface Racing {
  /** Estimated tokens of this request up to its end. */
  readonly tokens: number;
  readonly prefix: string;
}

/** The call that may lose a race. */
interface Caller {
  /** Its stream, where it has one already. */
  readonly own: string | undefined;
  /** The account that it asks; absent where it is not known. */
  readonly account?: string | undefined;
}

/** The longest prefix that this request shares with what another call on its way leaves, where that can be cached. */
function racingWith(
  state: State,
  { sequence, materials }: PromptStream,
  size: (block: number) => number,
  caller: Caller,
): Racing | undefined {
  const shared = pendingPlaces(state, caller).filter(
    ({ block, prefix }) => itemAt(sequence.prefixes, block) === prefix,
  );
  const [last] = shared.toSorted((a, b) => b.block - a.block);
  if (last === undefined) return undefined;
  const tokens = size(last.block);
  return tokens < (materials.capabilities.floor ?? 0) ? undefined : { tokens, prefix: last.prefix };
}

/** The places at which other calls on their way leave entries that this one could read. */
export function pendingPlaces(
  { streams }: State,
  { own, account }: Caller,
): readonly { readonly block: number; readonly prefix: string }[] {
  return Object.entries(streams).flatMap(([name, { pending }]) =>
    name === own || pending === undefined || isOfOther(pending.prepared, account)
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
function routingKey(state: State, { materials: { encoder, capabilities } }: PromptStream): string | undefined {
  if (encoder.routing === undefined || capabilities.routing === undefined) return undefined;
  return keyInForce(state, capabilities.routing, newHash);
}

/** Input of `lifeOf`. */
interface CallLife {
  readonly lookup: Lookup;
  readonly at: Timestamp;
  /** Entries that this request can read, shortest first. */
  readonly readable: readonly CacheEntry[];
  /** The main stream: a side call writes what this one reads. */
  readonly stream: Stream | undefined;
}

/** Returns the life of the entries that this call writes. It reads the state of the log only, so every process chooses the same (L9). */
function lifeOf(call: CallLife): Lifetime {
  const { lookup, at, readable } = call;
  const { capabilities } = lookup;
  const tokens = sizeUpTo(lookup, lookup.sequence.blocks.length - 1);
  const price = unitPrice(capabilities, at, tokens);
  return chooseLifetime({ ...pausesWithThis(call, tokens), capabilities, price, tokens, behind: readable.at(-1) });
}

/**
 * Returns the pauses of the stream with the one that this request ends (the log holds that one after the answer), and the
 * tokens that were held. Of a history that was packed again the held tokens are at most its new size, which is an estimate.
 */
function pausesWithThis(
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

// The part of a request that was never sent before on its stream: the text that an ideal cache would write. All else was sent
// before, whatever block holds it now, and is read or paid again.

/** Input of the count, with the prompt stream. */
interface UnsentOptions {
  /** Spans that the last accepted request of the stream held. */
  readonly sent: number;
  /** Spans that the last accepted request to the same model held. */
  readonly reach: number;
  /** The provider strips the thinking of earlier turns. */
  readonly strips: boolean;
  /** Tokens that the model counts for one estimated token of a block. */
  readonly scaleOf: (block: number) => number;
}

/** Some of a block: estimated tokens, before any scale. */
interface Unsent {
  readonly block: number;
  readonly tokens: number;
}

/** Tokens of a request that were never sent before, at the scale at which the model counts them. No scale is an image's. */
function unsentTokens(promptStream: PromptStream, state: State, options: UnsentOptions): number {
  const found = [
    ...inFront(promptStream, state),
    ...inTail(promptStream, options),
    ...shownShort(promptStream, state, options.sent),
    ...otherThinking(promptStream, options),
  ];
  return found.reduce((sum, { block, tokens }) => {
    const isImage = (itemAt(promptStream.sequence.blocks, block)?.mediaBytes ?? 0) > 0;
    return sum + (isImage ? tokens : tokens * options.scaleOf(block));
  }, 0);
}

/**
 * The tail that no accepted request of this stream held: its ordinals are at or above what that held. Thinking that the provider
 * strips is no part of the request, and so not of this.
 */
function inTail({ sequence, ordinals }: PromptStream, { sent, strips }: UnsentOptions): readonly Unsent[] {
  const shown = strips ? turnStartOf(sequence).block : 0;
  const found: Unsent[] = [];
  let index = sequence.blocks.length - 1;
  for (; index >= sequence.front && (itemAt(ordinals, index) ?? 0) >= sent; index -= 1) {
    const block = itemAt(sequence.blocks, index);
    if (block !== undefined && !(block.holds === 'thinking' && index < shown))
      found.push({ block: index, tokens: block.tokens });
  }
  // A checkpoint stands first, and is newer than what is kept behind it.
  const leads = index > sequence.front && (itemAt(ordinals, sequence.front) ?? 0) >= sent;
  return leads
    ? [...found, { block: sequence.front, tokens: itemAt(sequence.blocks, sequence.front)?.tokens ?? 0 }]
    : found;
}

/** Results that were sent whole, and that no accepted request showed shortened yet: the words that stand for what is left out. */
function shownShort(
  { sequence: { blocks }, ordinals }: PromptStream,
  { epoch, streams, history }: State,
  sent: number,
): readonly Unsent[] {
  const accepted = streams['main']?.accepted?.position ?? -1;
  if (epoch === undefined || epoch.shortened.size === 0 || accepted > epoch.position) return [];
  const notices = new Map(slice(history.packed).map((span) => [span.ordinal, noticeTokens(span)]));
  return slice(blocks).flatMap(({ origin, tokens }, block) => {
    const ordinal = itemAt(ordinals, block) ?? 0;
    const isOne = origin.from === 'event' && epoch.shortened.has(origin.position) && ordinal < sent;
    return isOne ? [{ block, tokens: Math.min(tokens, notices.get(ordinal) ?? tokens) }] : [];
  });
}

function noticeTokens({ parts }: Span): number | undefined {
  const [part] = parts;
  return part?.type === 'result' ? estimateTokens(leftOutNotice(part.content)) : undefined;
}

/** Thinking that other models were not sent: after a switch back it goes out for the first time. */
function otherThinking(
  { sequence, ordinals }: PromptStream,
  { reach, sent, strips }: UnsentOptions,
): readonly Unsent[] {
  if (reach >= sent) return [];
  const first = Math.max(sequence.front, strips ? turnStartOf(sequence).block : 0);
  const found: Unsent[] = [];
  for (let index = sequence.blocks.length - 1; index >= first; index -= 1) {
    const block = itemAt(sequence.blocks, index);
    const ordinal = itemAt(ordinals, index) ?? 0;
    if (block?.holds === 'thinking' && ordinal >= reach && ordinal < sent)
      found.push({ block: index, tokens: block.tokens });
  }
  return found;
}

/**
 * The front that no accepted request held: its blocks are the tools, then the texts that are not blank. Of one that was edited it
 * is what the text before did not hold.
 */
function inFront({ front, materials: { texts } }: PromptStream, { cache, epoch }: State): readonly Unsent[] {
  const digests = [...texts.tools, ...texts.layers.filter(({ text }) => !isBlank(text))].map(
    ({ record }) => record.digest,
  );
  return front.blocks.flatMap(({ tokens }, block) => {
    const name = digests[block];
    if (name !== undefined && cache.front.has(name)) return [];
    const edit = epoch?.opened.edits?.find(({ digest }) => digest === name);
    return [{ block, tokens: edit === undefined ? tokens : Math.min(tokens, edit.tokens) }];
  });
}

/**
 * What an edited system text begins with in common with the one that the last accepted request held, where that stands right behind what
 * is read, and is still cached. Estimated tokens, before any scale.
 */
function commonBeginning(
  { front, materials: { texts }, sequence }: PromptStream,
  { epoch, streams }: State,
  lookup: Lookup,
  hit: CacheEntry | undefined,
): { readonly block: number; readonly tokens: number } | undefined {
  const { left } = streams['main']?.accepted ?? {};
  // Of a tool the wire form begins otherwise than its definition.
  const block = (hit?.block ?? -1) + 1;
  if (left === undefined || block < sequence.counts.tools || block >= front.blocks.length) return undefined;
  const isCached = left.key === lookup.key && isAlive(left, lookup.now) && !isOfOther(left, lookup.account);
  if (!isCached || left.parameters.messages !== sequence.parameters.messages) return undefined;
  const layers = texts.layers.filter(({ text }) => !isBlank(text));
  const name = layers[block - sequence.counts.tools]?.record.digest;
  const edit = epoch?.opened.edits?.find(({ digest }) => digest === name);
  return edit && { block, tokens: edit.begins };
}
