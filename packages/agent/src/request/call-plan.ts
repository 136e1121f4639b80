// Plans one call: its markers, the tokens that it will probably read and write, its expected cost, and the tokens that
// were never sent before.

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

/** Input of `planCall`, in addition to the state and the prompt stream. */
export interface PlanOptions {
  readonly at: Timestamp;
  readonly capabilities: Capabilities;
  /** Provider account that the call uses. Absent if it is not known. */
  readonly account?: string | undefined;
  /** Lifetime of the entries that the call writes. Default: `auto`. */
  readonly ttl?: Lasting;
  /** True for a side call. */
  readonly beside?: boolean;
  /** `none` for a side call that contains nothing of the main history. */
  readonly history?: 'none';
  /** Index of the last block of the main history. Present for a side call that contains the main history. */
  readonly historyEnd?: number;
  readonly keeps?: 'refresh' | 'promotion';
  /**
   * Present if a recording contains the sizes of the blocks. The forecast then uses these sizes and does not adjust
   * them to measured ones.
   */
  readonly resize?: Resize;
}

/** Markers, cache key and forecast of a call. */
export interface CallPlan {
  readonly markers: readonly Marker[];
  /** Entries that the provider reads and keeps without markers. `undefined` if the catalog row has no rule for them. */
  readonly keeping: Keeping | undefined;
  /** Cache key that is sent with the request. `undefined` if the model or the encoder uses no key. */
  readonly key: string | undefined;
  readonly outlook: Outlook;
  /**
   * Prefix that another call is writing now. This call can read the prefix only after the answer of the other call has
   * begun.
   */
  readonly racing: Racing | undefined;
  /**
   * Estimated sizes of the request's blocks, before they are scaled to the token count of the model. Absent if a
   * recording contains the sizes.
   */
  readonly blocks?: Pick<SizeForecast, 'whole' | 'since' | 'media'>;
}

/**
 * Plans the next call from the state of the log and the prompt stream alone (L9). A side call continues from the last
 * request of the main stream. The next main request would do the same, so both read the same entries.
 */
export function planCall(state: State, promptStream: PromptStream, options: PlanOptions): CallPlan {
  const { sequence } = promptStream;
  const { at, capabilities, ttl = 'auto', beside = false } = options;
  const { entries } = state.cache;
  const main = state.streams['main'];
  const { accepted, reach = {} } = (options.history === 'none' ? undefined : main) ?? {};
  const key = routingKey(state, promptStream);
  // Marked entries are found by their bytes. Only entries without markers are stored under a key.
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
  // A refresh keeps the lifetime with which the entries were written. Only a promotion changes a shorter lifetime to a
  // longer one.
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

/** Prefix that a call in flight is writing. */
export interface Racing {
  /** Estimated tokens of this request up to the end of the prefix. */
  readonly tokens: number;
  readonly prefix: string;
}

interface Caller {
  /** Stream of the call. `undefined` for a side call, which has no stream yet. */
  readonly own: string | undefined;
  /** Provider account that the call uses. Absent if it is not known. */
  readonly account?: string | undefined;
}

/**
 * Returns the longest prefix that this request shares with the entries of another call in flight. Returns `undefined`
 * if there is no such prefix or if the prefix is below the floor.
 */
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

/** Returns the places of entries that other calls in flight are writing. This call could read these entries later. */
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

/**
 * Replaces the cause `parameter` by `opened` on the main stream. Parameters of the main stream change only when an
 * epoch opens, and the epoch records the cause. A side call can have its own parameters.
 */
function namedLoss(outlook: Outlook, beside: boolean): Outlook {
  const { loss } = outlook;
  return beside || loss?.cause !== 'parameter' ? outlook : { ...outlook, loss: { ...loss, cause: 'opened' } };
}

/**
 * Returns the cache key that the provider uses for routing. Returns `undefined` if the model does not use a key or the
 * encoder has no field for it.
 */
export function routingKey(state: State, { materials: { encoder, capabilities } }: PromptStream): string | undefined {
  if (encoder.routing === undefined || capabilities.routing === undefined) return undefined;
  return keyInForce(state, capabilities.routing, newHash);
}

interface CallLife {
  readonly lookup: Lookup;
  readonly at: Timestamp;
  /** Entries that this request can read. The entry with the shortest prefix comes first. */
  readonly readable: readonly CacheEntry[];
  /**
   * The main stream. It is also used for a side call, because the main stream reads the entries that a side call
   * writes.
   */
  readonly stream: Stream | undefined;
}

/**
 * Returns the lifetime of the entries that this call writes. The choice depends only on the state of the log, so every
 * process makes the same choice (L9).
 */
function lifeOf(call: CallLife): Lifetime {
  const { lookup, at, readable } = call;
  const { capabilities } = lookup;
  const tokens = sizeUpTo(lookup, lookup.sequence.blocks.length - 1);
  const price = unitPrice(capabilities, at, tokens);
  return chooseLifetime({ ...pausesWithThis(call, tokens), capabilities, price, tokens, behind: readable.at(-1) });
}

/**
 * Returns the pauses of the stream, and `held`, the number of tokens that were in the cache. The pause before this
 * request is included, because the log records that pause only with the answer. If the last cache entry did not expire
 * but cannot be read for another reason, `held` is limited to the estimated size of the request.
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

// Counts the part of a request that was never sent before on its stream. An ideal cache would write only this text. All
// other text was sent before, possibly in other blocks. It is either read from the cache or billed again.

interface UnsentOptions {
  /** Number of spans that the last accepted request of the stream contained. */
  readonly sent: number;
  /** Number of spans that the last accepted request to the same model contained. */
  readonly reach: number;
  /** True if the provider strips the thinking of earlier turns. */
  readonly strips: boolean;
  /** Returns the factor from the estimated tokens of a block to the token count of the model. */
  readonly scaleOf: (block: number) => number;
}

/**
 * Part of one block that was never sent, in estimated tokens before they are scaled to the token count of the model.
 */
interface Unsent {
  readonly block: number;
  readonly tokens: number;
}

/**
 * Returns the tokens of a request that were never sent before, scaled to the token count of the model. Images are not
 * scaled.
 */
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
 * Returns the blocks of the tail that no accepted request of this stream contained. The ordinals of these blocks are at
 * least `sent`. Thinking that the provider strips is not part of the request and does not count.
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
  // A checkpoint is the first block after the front, but it is newer than the kept blocks after it.
  const leads = index > sequence.front && (itemAt(ordinals, sequence.front) ?? 0) >= sent;
  return leads
    ? [...found, { block: sequence.front, tokens: itemAt(sequence.blocks, sequence.front)?.tokens ?? 0 }]
    : found;
}

/**
 * Returns the results that were sent whole but are now shortened, if no accepted request has shown them shortened. For
 * each result, the tokens of its omission notice count.
 */
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

/**
 * Returns the thinking that requests to other models did not contain. It is sent for the first time after the switch
 * back to the model that produced it.
 */
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
 * Returns the blocks of the front that no accepted request contained. The blocks of the front are the tools, followed
 * by the texts that are not blank. For an edited text, only the tokens that its previous version did not contain count.
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
 * Returns the block of an edited system text, and the tokens of the beginning that the text shares with its last
 * accepted version. The beginning is included only if it is still cached and comes directly after the prefix that is
 * read. The tokens are estimates before scaling. Returns `undefined` if there is no such beginning.
 */
function commonBeginning(
  { front, materials: { texts }, sequence }: PromptStream,
  { epoch, streams }: State,
  lookup: Lookup,
  hit: CacheEntry | undefined,
): { readonly block: number; readonly tokens: number } | undefined {
  const { left } = streams['main']?.accepted ?? {};
  // Tools are excluded, because the wire form of a tool does not begin with the text of its definition.
  const block = (hit?.block ?? -1) + 1;
  if (left === undefined || block < sequence.counts.tools || block >= front.blocks.length) return undefined;
  const isCached = left.key === lookup.key && isAlive(left, lookup.now) && !isOfOther(left, lookup.account);
  if (!isCached || left.parameters.messages !== sequence.parameters.messages) return undefined;
  const layers = texts.layers.filter(({ text }) => !isBlank(text));
  const name = layers[block - sequence.counts.tools]?.record.digest;
  const edit = epoch?.opened.edits?.find(({ digest }) => digest === name);
  return edit && { block, tokens: edit.begins };
}
