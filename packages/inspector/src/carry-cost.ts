// Carry cost: what each block has cost in all requests of the main stream that contained it. A block costs its tokens
// times the price of the bucket in which they were billed. Its tokens are its share of the input that was counted.

import type { Sequence } from '@tidemark/context';
import { itemAt, slice } from '@tidemark/context';
import type { Block, Capabilities, Price } from '@tidemark/model';
import { allWritten, inputTokens, priceAt } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import { conversationLength } from './conversation-sequence.ts';
import type { KnownRequest, SessionRequests } from './session-requests.ts';

/** Costs of the blocks of a request, in the order of its blocks. */
export interface CarryCosts {
  /** Known cost in US dollars in all requests that contained the block. `null` if no request has a known cost. */
  readonly costs: readonly (string | null)[];
  /** Number of answered requests that contained the block. */
  readonly requests: readonly number[];
  /** Number of these requests whose cost is unknown. They are not in `costs`. */
  readonly unpriced: readonly number[];
}

// Shares of tokens are divided, so amounts have more digits than prices. They are rounded at the end only.
const Exact = Decimal.clone({ precision: 40 });
type ExactAmount = InstanceType<typeof Exact>;
const ROUNDED = 12;

/** Returns the costs of the blocks of the request at a position, or `undefined` if there is none. */
export async function readCarryCosts(session: SessionRequests, position: number): Promise<CarryCosts | undefined> {
  const request = session.requests.find((one) => one.position === position);
  if (request === undefined) return undefined;
  const costOf = await readCostOfBlock(session);
  const { sequence } = await session.sequence(request);
  const found = slice(sequence.blocks).map(costOf);
  return {
    costs: found.map(({ cost }) => cost),
    requests: found.map((one) => one.requests),
    unpriced: found.map((one) => one.unpriced),
  };
}

/** Cost of one block, as in `CarryCosts`. */
export interface BlockCost {
  readonly cost: string | null;
  readonly requests: number;
  readonly unpriced: number;
}

/** Returns a function that returns the cost of a block in all requests of a session. */
export async function readCostOfBlock(session: SessionRequests): Promise<(block: Block) => BlockCost> {
  const carried = await carriedContent(session);
  return (block) => {
    const { cost, requests = 0, unpriced = 0 } = carried.get(contentKey(block)) ?? {};
    const isKnown = cost !== undefined && requests > unpriced;
    return { cost: isKnown ? cost.toDecimalPlaces(ROUNDED).toFixed() : null, requests, unpriced };
  };
}

interface CarriedCost {
  readonly cost: ExactAmount;
  readonly requests: number;
  readonly unpriced: number;
}

type CarriedContent = ReadonlyMap<string, CarriedCost>;

const HELD = new WeakMap<SessionRequests, { readonly length: number; readonly content: Promise<CarriedContent> }>();

function carriedContent(session: SessionRequests): Promise<CarriedContent> {
  const { length } = session.names;
  const held = HELD.get(session);
  if (held?.length === length) return held.content;
  const content = sumOfRuns(session);
  HELD.set(session, { length, content });
  return content;
}

async function sumOfRuns(session: SessionRequests): Promise<CarriedContent> {
  const sums = new Map<string, CarriedCost>();
  for (const run of runsOf(session.requests)) {
    const last = run.at(-1);
    if (last === undefined) continue;
    const { sequence, capabilities } = await session.sequence(last);
    for (const [index, one] of costsOfRun(run, sequence, capabilities).entries()) {
      const block = itemAt(sequence.blocks, index);
      if (block === undefined) continue;
      const key = contentKey(block);
      const before = sums.get(key);
      sums.set(key, before === undefined ? one : addCarried(before, one));
    }
  }
  return sums;
}

function addCarried(a: CarriedCost, b: CarriedCost): CarriedCost {
  return { cost: a.cost.plus(b.cost), requests: a.requests + b.requests, unpriced: a.unpriced + b.unpriced };
}

/** Returns the identity of content in several requests, also of different epochs. */
export function contentKey({ origin, part = 0, holds, head }: Block): string {
  return origin.from === 'event' ? `${origin.position} ${part} ${holds}` : `${origin.layer} ${head}`;
}

/** Returns the runs of answered requests of the main stream in which each request extends the one before. */
function runsOf(requests: readonly KnownRequest[]): readonly (readonly KnownRequest[])[] {
  const runs = new Map<unknown, KnownRequest[]>();
  for (const request of requests) {
    if (request.stream !== 'main' || request.answer === undefined) continue;
    const { source, state, observed } = request;
    const sent = source === 'sent' ? state.epoch?.position : state.history.packed.buffer;
    const key = observed === undefined ? sent : observed.sequence.blocks.buffer;
    const run = runs.get(key);
    if (run === undefined) runs.set(key, [request]);
    else run.push(request);
  }
  return [...runs.values()];
}

function blockCount({ prepared, observed, state, position }: KnownRequest): number {
  if (prepared !== undefined) return prepared.data.sequence.blocks;
  return observed === undefined ? conversationLength(state, position) : observed.sequence.blocks.length;
}

/**
 * Sums the costs of the blocks of a run. The blocks in one bucket are consecutive, so a request adds one rate from the
 * first to the last of them, and only the blocks at the ends of buckets are added alone.
 */
function costsOfRun(
  run: readonly KnownRequest[],
  sequence: Sequence,
  capabilities: Capabilities | undefined,
): readonly CarriedCost[] {
  const blocks = sequence.blocks.length;
  const rates = new Map<number, ExactAmount>();
  const alone = new Map<number, ExactAmount>();
  const [requests, unpriced] = [new Int32Array(blocks + 1), new Int32Array(blocks + 1)];
  const add = (to: Map<number, ExactAmount>, index: number, amount: ExactAmount): void => {
    to.set(index, (to.get(index) ?? new Exact(0)).plus(amount));
  };
  for (const request of run) {
    const count = Math.min(blocks, blockCount(request));
    requests[0] = (requests[0] ?? 0) + 1;
    requests[count] = (requests[count] ?? 0) - 1;
    const billed = capabilities && billedParts(request, capabilities);
    if (billed === undefined) {
      unpriced[0] = (unpriced[0] ?? 0) + 1;
      unpriced[count] = (unpriced[count] ?? 0) - 1;
      continue;
    }
    for (const { start, end, rate } of rangesOf(request, billed, itemAt(sequence.tokens, count - 1) ?? 0)) {
      const [first, last] = [blockAt(sequence, count, start), blockAt(sequence, count, end)];
      const inside = (block: number): number => {
        const [from, to] = [itemAt(sequence.tokens, block - 1) ?? 0, itemAt(sequence.tokens, block) ?? 0];
        return Math.max(0, Math.min(to, end) - Math.max(block === 0 ? 0 : from, start));
      };
      for (const block of new Set([first, last])) add(alone, block, rate.times(inside(block)));
      if (last - first < 2) continue;
      add(rates, first + 1, rate);
      add(rates, last, rate.negated());
    }
  }
  return totalsOf(sequence, { rates, alone, requests, unpriced });
}

interface RunSums {
  readonly rates: ReadonlyMap<number, ExactAmount>;
  readonly alone: ReadonlyMap<number, ExactAmount>;
  readonly requests: Int32Array;
  readonly unpriced: Int32Array;
}

function totalsOf(sequence: Sequence, { rates, alone, requests, unpriced }: RunSums): readonly CarriedCost[] {
  let rate: ExactAmount = new Exact(0);
  let [contained, unknown] = [0, 0];
  return slice(sequence.blocks).map(({ tokens }, index) => {
    const change = rates.get(index);
    if (change !== undefined) rate = rate.plus(change);
    contained += requests[index] ?? 0;
    unknown += unpriced[index] ?? 0;
    const own = alone.get(index);
    const cost = rate.times(tokens);
    return { cost: own === undefined ? cost : cost.plus(own), requests: contained, unpriced: unknown };
  });
}

/** Part of the input that was billed at one price per token, in the order of the request. */
interface BilledPart {
  readonly tokens: number;
  /** US dollars for one token. */
  readonly price: ExactAmount;
}

/** Returns the parts of the input of a request with their prices, or `undefined` if one of them is unknown. */
function billedParts({ answer, at }: KnownRequest, capabilities: Capabilities): readonly BilledPart[] | undefined {
  const { usage = {} } = answer ?? {};
  const [input, written] = [inputTokens(usage), allWritten(usage)];
  const { read, fresh, writes } = usage;
  if (input === undefined || written === undefined || read === undefined || fresh === undefined) return undefined;
  const price = priceAt(capabilities, at.slice(0, 10), input);
  if (price === undefined) return undefined;
  const prices = [perToken(price.read), writes && writePrice(price, writes, written), perToken(price.input)];
  const parts = [read, written, fresh].map((tokens, index) => ({ tokens, price: prices[index] }));
  const known = parts.flatMap(({ tokens, price: one }) => (one === undefined ? [] : [{ tokens, price: one }]));
  const isComplete = parts.every(({ tokens, price: one }) => tokens === 0 || one !== undefined);
  return isComplete ? known.filter(({ tokens }) => tokens > 0) : undefined;
}

type PricedWrites = NonNullable<NonNullable<KnownRequest['answer']>['usage']['writes']>;

/** Returns the mean price of a written token. All written blocks get the same price, also if they were written with several lifetimes. */
function writePrice(price: Price, writes: PricedWrites, written: number): ExactAmount | undefined {
  let sum: ExactAmount = new Exact(0);
  for (const { ttl, tokens } of writes) {
    const one = perToken(price.writes[ttl]);
    if (one === undefined && tokens > 0) return undefined;
    if (one !== undefined) sum = sum.plus(one.times(tokens));
  }
  return written === 0 ? new Exact(0) : sum.dividedBy(written);
}

// A session has few prices, and a division takes long.
const PER_TOKEN = new Map<string | number, ExactAmount>();

function perToken(perMillion: string | number | undefined): ExactAmount | undefined {
  if (perMillion === undefined) return undefined;
  const known = PER_TOKEN.get(perMillion);
  if (known !== undefined) return known;
  const price = new Exact(perMillion).dividedBy(1_000_000);
  PER_TOKEN.set(perMillion, price);
  return price;
}

/** Range of estimated tokens of a request with the price of one of them. */
interface RatedRange {
  readonly start: number;
  readonly end: number;
  readonly rate: ExactAmount;
}

/**
 * Converts counted parts to ranges of estimated tokens. The front of an import is unknown: the counted tokens that the
 * blocks do not explain come before them.
 */
function rangesOf(request: KnownRequest, parts: readonly BilledPart[], estimated: number): readonly RatedRange[] {
  const counted = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  if (estimated === 0 || counted === 0) return [];
  const front = request.source === 'imported' ? Math.max(0, counted - estimated) : 0;
  const scale = new Exact(counted - front).dividedBy(estimated);
  let at = 0;
  return parts.flatMap(({ tokens, price }): readonly RatedRange[] => {
    const [start, end] = [Math.max(0, at - front), Math.max(0, at + tokens - front)];
    at += tokens;
    if (end === start) return [];
    const factor = scale.toNumber();
    return [{ start: start / factor, end: Math.min(estimated, end / factor), rate: scale.times(price) }];
  });
}

/** Returns the block at a place in estimated tokens, among the first `count` blocks. */
function blockAt({ tokens }: Sequence, count: number, place: number): number {
  let [low, high] = [0, Math.max(0, count - 1)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((itemAt(tokens, middle) ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
