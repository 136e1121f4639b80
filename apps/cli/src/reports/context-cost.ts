// Attributes the cost of the calls to the parts of the context. A call reads the beginning of its request from the cache,
// writes the next part, and pays the rest as fresh input. Each part therefore pays the price of its place in each call.

import type { State } from '@tidemark/context';
import { frontSize, itemAt, sizeOfSpan, slice } from '@tidemark/context';
import type { RecordedOf } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { costOf, inputTokens, priceAt, writtenTokens } from '@tidemark/model';

/** Cost of the parts so far in US dollars. The division between the parts is an estimate. */
export interface PartCosts {
  /** Input cost of the front. */
  readonly front: number;
  /** Input cost of each span, by its ordinal. Contains also spans that a compaction has replaced. */
  readonly spans: ReadonlyMap<number, number>;
  /** Output cost of each answer, by the position of its record. */
  readonly answers: ReadonlyMap<number, number>;
  /** Number of calls whose cost is known. */
  readonly calls: number;
  /** Number of calls whose cost is unknown. */
  readonly unknown: number;
}

/** Collects the costs while a log is folded. */
export interface CostCollector {
  /** Takes an answer of the main stream. `state` is the state after it, and `row` the catalog row of its epoch. */
  take(answer: RecordedOf<'answer.received'>, state: State, row: Capabilities | undefined): void;
  /** Forgets all costs. Called where a fork begins, because its parent paid the calls before. */
  reset(): void;
  /** Returns the costs so far. */
  costs(): PartCosts;
}

/** Price of the tokens from `at` on, in addition to the price before, per estimated token. */
interface Edge {
  readonly at: number;
  readonly price: number;
}

/** Calls of one packed history. A repacked history begins a new stretch. */
interface PackedCalls {
  spans: State['history']['packed'];
  /** Estimated tokens of the front. */
  readonly front: number;
  /** Estimated tokens up to the end of each span, the front included. */
  readonly ends: number[];
  readonly edges: Edge[];
}

/** Creates a collector. */
export function createCostCollector(): CostCollector {
  const answers = new Map<number, number>();
  let stretches: PackedCalls[] = [];
  let calls = 0;
  let unknown = 0;
  return {
    take(answer, state, row) {
      const stretch = extended(stretches.at(-1), state);
      const call = edgesOf(answer, sentSize(stretch, state), row);
      if (call === undefined) {
        unknown += 1;
        return;
      }
      calls += 1;
      answers.set(answer.position, call.output);
      stretch.edges.push(...call.input);
      if (stretch !== stretches.at(-1)) stretches.push(stretch);
    },
    reset() {
      answers.clear();
      stretches = [];
      calls = 0;
      unknown = 0;
    },
    costs() {
      const spans = new Map<number, number>();
      const front = stretches.reduce((sum, stretch) => sum + addStretch(stretch, spans), 0);
      return { front, spans, answers, calls, unknown };
    },
  };
}

/** Returns the stretch with the spans of the state. If the history was repacked, returns a new stretch. */
function extended(last: PackedCalls | undefined, state: State): PackedCalls {
  const { packed } = state.history;
  const front = frontSize(state).tokens + (state.epoch?.opened.toolSize?.tokens ?? 0);
  const isSame = last?.spans.buffer === packed.buffer && last.front === front;
  const stretch: PackedCalls = isSame ? last : { spans: packed, front, ends: [], edges: [] };
  stretch.spans = packed;
  for (const span of slice(packed, stretch.ends.length))
    stretch.ends.push((stretch.ends.at(-1) ?? front) + sizeOfSpan(span).tokens);
  return stretch;
}

/** Returns the estimated tokens of the last accepted request. Spans that were packed after it do not count. */
function sentSize({ spans, front, ends }: PackedCalls, { streams }: State): number | undefined {
  const sent = streams['main']?.accepted?.spans;
  if (sent === undefined) return undefined;
  let last = spans.length - 1;
  while (last >= 0 && (itemAt(spans, last)?.ordinal ?? 0) >= sent) last -= 1;
  return last < 0 ? front : ends[last];
}

interface CallEdges {
  readonly input: readonly Edge[];
  readonly output: number;
}

/**
 * Returns the prices of a call along its request. The places are in estimated tokens, because only these are known for
 * each span. Returns `undefined` if a bucket or its price is unknown.
 */
function edgesOf(
  { at, data: { usage } }: RecordedOf<'answer.received'>,
  estimated: number | undefined,
  row: Capabilities | undefined,
): CallEdges | undefined {
  const counted = inputTokens(usage);
  const price = counted === undefined ? undefined : row && priceAt(row, at.slice(0, 10), counted);
  const cost = price && costOf(price, usage);
  if (cost === undefined || counted === undefined || counted === 0 || estimated === undefined) return undefined;
  const { read = 0, writes = [] } = usage;
  const written = writtenTokens(writes);
  const places = [0, read, read + written, counted].map((tokens) => (tokens * estimated) / counted);
  const amounts = [cost.read, cost.writes, cost.fresh].map(Number);
  const input = amounts.flatMap((amount, index): readonly Edge[] => {
    const [from = 0, to = 0] = places.slice(index, index + 2);
    if (to <= from) return [];
    const each = amount / (to - from);
    return [
      { at: from, price: each },
      { at: to, price: -each },
    ];
  });
  return { input, output: Number(cost.answer) };
}

/** Adds the costs of a stretch to its spans, and returns the cost of the front. */
function addStretch({ spans, front, ends, edges }: PackedCalls, costs: Map<number, number>): number {
  const ordered = edges.toSorted((a, b) => a.at - b.at);
  let next = 0;
  let price = 0;
  let place = 0;
  const upTo = (end: number): number => {
    let cost = 0;
    for (let edge = ordered[next]; edge !== undefined && edge.at <= end; edge = ordered[next]) {
      cost += price * (edge.at - place);
      place = edge.at;
      price += edge.price;
      next += 1;
    }
    cost += price * (end - place);
    place = end;
    return Math.max(0, cost);
  };
  const ofFront = upTo(front);
  for (const [index, span] of slice(spans).entries())
    costs.set(span.ordinal, (costs.get(span.ordinal) ?? 0) + upTo(ends[index] ?? place));
  return ofFront;
}
