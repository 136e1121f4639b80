// What is decided about one call: its markers, and what it is expected to read, write and cost.

import type { SizeForecast, Timestamp } from '@tidemark/log';
import type { Keeping, Outlook, State } from '@tidemark/context';
import {
  blockSizes,
  forecast,
  isOfOther,
  itemAt,
  keyInForce,
  newTextRatio,
  plan,
  planKeeping,
  readableEntries,
  scaleAt,
  sizeByBlock,
} from '@tidemark/context';
import type { Capabilities, Marker } from '@tidemark/model';
import type { Lasting } from './call-life.ts';
import { lifeOf } from './call-life.ts';
import { newHash } from '../session/node-hash.ts';
import type { PromptStream, Resize } from './prompt-stream.ts';
import { commonBeginning, unsentTokens } from './unsent.ts';

/** What a plan needs beside state and line. */
export interface PlanOptions {
  readonly at: Timestamp;
  readonly capabilities: Capabilities;
  /** The account that is asked; absent where it is not known. */
  readonly account?: string | undefined;
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
  /** The sizes of its blocks before any scale; absent where a recording told them. */
  readonly blocks?: Pick<SizeForecast, 'whole' | 'since' | 'media'>;
}

/**
 * Plans the next call from the log's own state and the line alone (L9). A side call goes on from what the main stream sent
 * last, as the main stream itself would: it reads the same entries.
 */
export function planCall(state: State, line: PromptStream, options: PlanOptions): CallPlan {
  const { sequence } = line;
  const { at, capabilities, ttl = 'auto', beside = false } = options;
  const { entries } = state.cache;
  const main = state.streams['main'];
  const { accepted, reach = {} } = (options.history === 'none' ? undefined : main) ?? {};
  const key = routingKey(state, line);
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
    ...(historyEnd === undefined ? {} : { historyEnd }),
    ...(stands ? { acceptedEnd: end.block } : {}),
  });
  const marked = markers.map(({ block }) => block);
  const keeping = planKeeping({ sequence, capabilities, readable, marked, beside });
  const sizes = options.resize === undefined ? 'estimated' : 'recorded';
  const strips = capabilities.thinkingStripped === 'at-new-turn';
  const sent = accepted?.spans ?? 0;
  const { model } = line.materials.epoch.opened;
  const { ordinals } = line;
  const known = {
    lookup,
    accepted,
    model,
    ratio: newTextRatio(state, model),
    scales: state.scales,
    ordinals,
    sizes,
  } as const;
  const unsent = unsentTokens(line, state, {
    sent,
    reach: (Object.hasOwn(reach, model) ? reach[model] : undefined) ?? 0,
    strips,
    scaleOf: (block) => scaleAt(known, block),
  });
  const begun = capabilities.implicit?.at === 'grid' ? commonBeginning(line, state, lookup, keeping?.hit) : undefined;
  const beginning = begun === undefined ? 0 : Math.floor(begun.tokens * scaleAt(known, begun.block));
  const outlook = namedLoss(forecast({ ...known, at, markers, keeping, readable, unsent, beginning }), beside);
  const caller = { own: beside ? undefined : 'main', account: options.account };
  const racing = racingWith(state, line, sizeByBlock({ ...known, readable }), caller);
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
