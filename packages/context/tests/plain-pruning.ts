// Makes the decision of `planPruning` in the simplest way, as a reference for tests. Each call walks over all packed
// spans, finds their uses from the beginning, and computes each sum again. The code is slow, but it is easy to check.

import type { EpochCause } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Span } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { slice } from '../src/base/append-only.ts';
import { partTokens } from '../src/base/estimate.ts';
import { renderPruned, textOfResult } from '../src/base/render.ts';
import { isAlive } from '../src/cache/entries.ts';
import { neededEpoch } from '../src/epoch/epoch.ts';
import { rewriteCost } from '../src/forecast/miss.ts';
import { ratesOf, unitPrice } from '../src/money/bill.ts';
import type { PruningInput } from '../src/pruning/pruning.ts';
import type { Grounds, ResultUse } from '../src/pruning/uses.ts';
import { chanceOfNeed, goToTurn, groundsOf, noUses, noteResult, noteSaid } from '../src/pruning/uses.ts';
import type { State } from '../src/state/state.ts';

/**
 * Decision of `plainPruning`. `calls` are the calls whose results are shortened, and `freed` is the number of tokens
 * that this frees. `saved` maps the first call of each possible batch to the saving of the batch, in tokens at the base
 * input price. If the cause is not `pays`, `saved` is empty.
 */
export interface PlainPruning {
  readonly cause: string;
  readonly calls: readonly string[];
  readonly freed: number;
  /** Cost of the tokens that are written again, in US dollars. */
  readonly cost: string | undefined;
  readonly saved: ReadonlyMap<string, number>;
}

interface Found {
  readonly call: string;
  readonly grounds: Grounds | undefined;
  readonly whole: number;
  readonly freed: number;
  /**
   * Number of answers of this session after the result. The request for each of these answers read the result again.
   */
  readonly reads: number;
  /** Tokens before the result in the packed history. */
  readonly before: number;
}

interface Batch {
  readonly results: readonly Found[];
  readonly freed: number;
  /** Tokens that must be written to the cache again. They are after the end of the cache entry that stays valid. */
  readonly rewritten: number;
}

interface Rates {
  readonly read: number;
  readonly write: number;
  readonly call: number;
}

const FREE: readonly EpochCause[] = [
  'model',
  'reasoning',
  'parameters',
  'tools',
  'skills',
  'contract',
  'role',
  'compaction',
];

export function plainPruning(input: PruningInput): PlainPruning | undefined {
  const { state, need, gauge } = input;
  const { found, sent, end } = findAll(state);
  const rates = ratesOfInput(input, sent);
  const allowed = found.filter(({ grounds }) => grounds !== 'unused' || (gauge.ratio ?? 0) >= 0.5);
  const anew = batchOf(allowed, (those) => freedBy(those) * rates.write > fetching(those, rates), 0);
  if (need.do === 'epoch') return FREE.includes(need.cause) && anew ? chosen(input, 'together', anew) : undefined;
  const epochs = state.prunings.filter((one) => one.position > (state.epoch?.opened.checkpoint ?? -1));
  if (need.do === 'append' || epochs.some(({ tier, cause }) => tier === gauge.tier && cause !== 'together'))
    return undefined;
  const isLarge = ({ freed }: Batch): boolean => freed >= 0.05 * sent;
  if (!isWarm(input)) return anew && isLarge(anew) ? chosen(input, 'expired', anew) : undefined;
  const ends = [0, ...entriesOf(input)].toSorted((a, b) => a - b);
  const batches = (gainOf: (results: readonly Found[]) => number): readonly [Batch, number][] =>
    ends
      .flatMap((kept) => {
        const later = allowed.filter(({ before }) => before >= kept);
        const takes = (those: readonly Found[]): boolean =>
          gainOf(those) > fetching(those, rates) - freedBy(those) * more(rates);
        const batch = batchOf(later, takes, end - kept);
        return batch === undefined ? [] : [batch];
      })
      .filter(isLarge)
      .map((batch) => [batch, gainOf(batch.results) - fetching(batch.results, rates) - batch.rewritten * more(rates)]);
  const paid = batches((results) => (sum(results.map(({ freed, reads }) => freed * reads)) * rates.read) / 2);
  const [best] = paid.toSorted(([, a], [, b]) => b - a);
  const saved = new Map(paid.map(([{ results }, saves]) => [results[0]?.call ?? '', saves]));
  if (best !== undefined && best[1] > 0 && callsSinceEdit(state) >= 2 && keepsFront(input))
    return chosen(input, 'pays', best[0], saved);
  const pressing = gauge.tier === 'warning' || gauge.tier === 'critical';
  const soon = batches((results) => 40 * freedBy(results) * rates.read).filter(([, saves]) => saves >= 0);
  const [first] = soon.toSorted(([a], [b]) => b.freed - a.freed || a.rewritten - b.rewritten);
  return pressing && first ? chosen(input, 'warning', first[0]) : undefined;
}

function chosen(
  input: PruningInput,
  cause: string,
  { results, freed, rewritten }: Batch,
  saved: PlainPruning['saved'] = new Map(),
): PlainPruning {
  const cost = costOf(input, cause === 'together' || cause === 'expired' ? 0 : rewritten);
  return { cause, calls: results.map(({ call }) => call), freed, cost, saved };
}

/**
 * Returns the batch of the results that `takes` accepts. Returns `undefined` if it accepts none. `takes` decides for
 * all results with the same grounds together. `behind` is the number of history tokens after the end of the cache entry
 * that can still be read.
 */
function batchOf(
  results: readonly Found[],
  takes: (those: readonly Found[]) => boolean,
  unread: number,
): Batch | undefined {
  const taken = results.filter(({ grounds }) => {
    const those = results.filter((other) => other.grounds === grounds);
    return grounds !== undefined && takes(those);
  });
  const freed = freedBy(taken);
  return taken.length === 0 ? undefined : { results: taken, freed, rewritten: unread - freed };
}

function freedBy(results: readonly Found[]): number {
  return sum(results.map(({ freed }) => freed));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Returns the expected cost of fetching these results again later, in tokens at the base input price. */
function fetching(results: readonly Found[], { write, call }: Rates): number {
  return sum(
    results.map(({ grounds, whole }) => (grounds === undefined ? 0 : chanceOfNeed[grounds] * (whole * write + call))),
  );
}

function more({ read, write }: Rates): number {
  return Math.max(0, write - read);
}

function ratesOfInput({ capabilities, at, ttl, state }: PruningInput, sent: number): Rates {
  const price = unitPrice(capabilities, at, state.streams['main']?.accepted?.input ?? 0);
  if (price === undefined) throw new Error('the model has no price');
  const read = ratesOf(price).read.toNumber();
  return { read, write: Number(multiplier(price, ttl)), call: sent * read };
}

function costOf({ capabilities, at, ttl, state }: PruningInput, tokens: number): string | undefined {
  return rewriteCost({ capabilities, at, input: state.streams['main']?.accepted?.input ?? 0, tokens, ttl });
}

interface All {
  readonly found: readonly Found[];
  readonly sent: number;
  readonly end: number;
}

// Caches the result of `walkOver` for each state, because tests make many decisions for one state.
const walked = new WeakMap<State, All>();

function findAll(state: State): All {
  const known = walked.get(state) ?? walkOver(state);
  walked.set(state, known);
  return known;
}

function walkOver(state: State): All {
  const spans = slice(state.history.packed);
  const held = state.streams['main']?.accepted?.spans ?? 0;
  const old = new Set(spans.filter((span) => resultOf(span) !== undefined).slice(0, -6));
  const recorded = new Set<number>(state.prunings.flatMap((one) => one.results.map((result) => result.position)));
  const { compacted, epoch } = state;
  const waits = compacted !== undefined && compacted.position !== epoch?.opened.checkpoint;
  const dropped = waits ? compacted.data.range.to : -1;
  const uses = usesOf(spans, state);
  const found: Found[] = [];
  let [before, end, sent] = [0, 0, 0];
  for (const [index, span] of spans.entries()) {
    const result = resultOf(span);
    const use = uses.get(span);
    const freed = old.has(span) && !isSkill(result?.call ?? '', state) ? freedOf(span, use) : 0;
    const at = span.origin.from === 'event' ? span.origin.position : -1;
    if (span.ordinal < held && span.group > dropped && result !== undefined && freed > 0 && !recorded.has(at)) {
      const reads = own(spans.slice(index), state) - 1;
      const grounds = use && groundsOf(use);
      found.push({ call: result.call, grounds, whole: tokensOf(span), freed, reads, before });
    }
    before += tokensOf(span);
    if (span.ordinal < held) [end, sent] = [before, sent + tokensOf(span)];
  }
  return { found, sent, end };
}

function usesOf(spans: readonly Span[], { workspace, turns }: State): ReadonlyMap<Span, ResultUse> {
  const uses = noUses(workspace);
  const found = new Map<Span, ResultUse>();
  for (const span of spans) {
    const started = slice(turns).filter((turn) => turn < span.group).length;
    goToTurn(uses, Math.max(started, uses.turn));
    const result = resultOf(span);
    if (result === undefined) noteSaid(uses, span);
    else found.set(span, noteResult(uses, result));
  }
  goToTurn(uses, turns.length);
  return found;
}

/** Returns the number of answers of the session itself, without the answers of the session that it was forked from. */
function own(spans: readonly Span[], { createdAt }: State): number {
  return spans.filter(({ role, group }) => role === 'assistant' && group > (createdAt ?? 0)).length;
}

function resultOf({ parts: [part] }: Span): Extract<typeof part, { type: 'result' }> | undefined {
  return part?.type === 'result' ? part : undefined;
}

const weighed = new WeakMap<Span, number>();

function tokensOf(span: Span): number {
  const tokens = weighed.get(span) ?? span.parts.reduce((all, part) => all + partTokens(part), 0);
  weighed.set(span, tokens);
  return tokens;
}

function isSkill(call: string, { skillCalls }: State): boolean {
  return [...skillCalls].some(
    (id) => call === id || (call.startsWith(`${id}_`) && /^\d+_*$/.test(call.slice(id.length + 1))),
  );
}

function freedOf(span: Span, use: ResultUse | undefined): number {
  const { content = [] } = resultOf(span) ?? {};
  const text = textOfResult(content);
  if (text.length <= 1_200 && content.every(({ type }) => type === 'text')) return 0;
  const at = span.origin.from === 'event' ? span.origin.position : -1;
  const kept = Math.min(500, text.length);
  const cut = use?.of?.deed === 'ran' ? ({ kept, from: 'end' } as const) : { kept };
  return tokensOf(span) - partTokens(renderPruned(content, cut, at));
}

/**
 * Returns the number of history tokens up to the end of each live cache entry. Only entries of the calls after the last
 * edit of the history are considered.
 */
function entriesOf({ state, at }: PruningInput): readonly number[] {
  const { cache, history, streams } = state;
  const { counts } = streams['main']?.accepted?.prepared ?? {};
  const since = callsSinceEdit(state);
  const written = cache.entries.filter(({ section }) => section === 'messages');
  return written
    .filter((entry, index) => index >= written.length - since && isAlive(entry, milliseconds(at)))
    .map(({ block }) => {
      const held = block + 1 - (counts?.tools ?? 0) - (counts?.system ?? 0);
      let [blocks, tokens] = [0, 0];
      for (const span of slice(history.packed)) {
        if (blocks + span.parts.length > held) break;
        blocks += span.parts.length;
        tokens += tokensOf(span);
      }
      return tokens;
    });
}

function callsSinceEdit({ history: { packed }, epoch }: State): number {
  const edited = epoch?.edited ?? -1;
  return slice(packed).filter(({ role, group }) => role === 'assistant' && group > edited).length;
}

function isWarm({ state, at }: PruningInput): boolean {
  return state.cache.entries.some((entry) => entry.section === 'messages' && isAlive(entry, milliseconds(at)));
}

function keepsFront({ state, wanted }: PruningInput): boolean {
  const { packed, changes } = state.history;
  const hasChange = slice(packed).some(({ parts }) => parts.some(({ type }) => type === 'change'));
  return neededEpoch(state, wanted) === undefined && changes.length === 0 && !hasChange;
}
