// The decision of `planPruning` made the plain way: every time all that is packed is walked over, and every batch is put
// beside every other, each behind the entry that it leaves readable. Slow, and easy to see to be right.

import type { EpochCause } from '@tidemark/log';
import { milliseconds } from '@tidemark/log';
import type { Span } from '@tidemark/model';
import { multiplier } from '@tidemark/model';
import { slice } from '../src/append-only.ts';
import { ratesOf, unitPrice } from '../src/bill.ts';
import { isAlive } from '../src/entries.ts';
import { neededEpoch } from '../src/epoch.ts';
import { rewriteCost } from '../src/miss.ts';
import { partTokens } from '../src/part-tokens.ts';
import type { PruningInput } from '../src/pruning.ts';
import { renderPruned, textOfResult } from '../src/render-pruned.ts';
import type { State } from '../src/state.ts';

/** What is shortened, and how much each batch that may be saves, by the call that it begins with. */
export interface PlainPruning {
  readonly cause: string;
  readonly calls: readonly string[];
  readonly freed: number;
  /** Of what is written again, in US dollars. */
  readonly cost: string | undefined;
  readonly saved: ReadonlyMap<string, number>;
}

interface Found {
  readonly call: string;
  readonly freed: number;
  /** Calls of this session that have read it. */
  readonly reads: number;
  /** What stands before it: blocks, and tokens. */
  readonly blocks: number;
  readonly before: number;
}

interface Batch {
  readonly first: number;
  readonly freed: number;
  readonly read: number;
  readonly rewritten: number;
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

/** See the head of this file. */
export function plainPruning(input: PruningInput): PlainPruning | undefined {
  const { state, need, pressing } = input;
  const { found, sent, end } = findAll(state);
  const batches = batchesOf(found, end, input);
  const [all] = batches;
  if (all === undefined) return undefined;
  const chosen = (cause: string, batch: Batch, saved: PlainPruning['saved'] = new Map()): PlainPruning => ({
    cause,
    calls: found.slice(batch.first).map(({ call }) => call),
    freed: batch.freed,
    cost: costOf(input, cause === 'together' || cause === 'expired' ? 0 : batch.rewritten),
    saved,
  });
  if (need.do === 'epoch') return FREE.includes(need.cause) ? chosen('together', all) : undefined;
  const large = batches.filter(({ freed }) => freed >= 0.05 * sent);
  if (large.length === 0 || need.do === 'append') return undefined;
  if (!isWarm(input)) return chosen('expired', all);
  const saved = new Map(large.map((batch) => [found[batch.first]?.call ?? '', savedBy(batch, input)]));
  const most = Math.max(...saved.values());
  const best = large.find((batch) => savedBy(batch, input) === most);
  if (best !== undefined && most > 0 && keepsFront(input)) return chosen('pays', best, saved);
  return pressing === true ? chosen('warning', all) : undefined;
}

function costOf({ capabilities, at, ttl, state }: PruningInput, tokens: number): string | undefined {
  return rewriteCost({ capabilities, at, input: state.streams['main']?.accepted?.input ?? 0, tokens, ttl });
}

function findAll(state: State): { readonly found: readonly Found[]; readonly sent: number; readonly end: number } {
  const spans = slice(state.history.packed);
  const held = state.streams['main']?.accepted?.spans ?? 0;
  const old = new Set(spans.filter((span) => resultOf(span) !== undefined).slice(0, -6));
  const recorded = new Set<number>(state.prunings.flatMap((one) => one.results.map((result) => result.position)));
  const { compacted, epoch } = state;
  const waits = compacted !== undefined && compacted.position !== epoch?.opened.checkpoint;
  const dropped = waits ? compacted.data.range.to : -1;
  const found: Found[] = [];
  let [before, blocks, end, sent] = [0, 0, 0, 0];
  for (const [index, span] of spans.entries()) {
    const result = resultOf(span);
    const freed = old.has(span) && !isSkill(result?.call ?? '', state) ? freedOf(span) : 0;
    const at = span.origin.from === 'event' ? span.origin.position : -1;
    if (span.ordinal < held && span.group > dropped && result !== undefined && freed > 0 && !recorded.has(at)) {
      const reads = own(spans.slice(index), state) - 1;
      found.push({ call: result.call, freed, reads, blocks, before });
    }
    before += tokensOf(span);
    blocks += span.parts.length;
    if (span.ordinal < held) [end, sent] = [before, sent + tokensOf(span)];
  }
  return { found, sent, end };
}

/** Answers of the session itself, and not of what it is a fork of. */
function own(spans: readonly Span[], { createdAt }: State): number {
  return spans.filter(({ role, group }) => role === 'assistant' && group > (createdAt ?? 0)).length;
}

function resultOf({ parts: [part] }: Span): Extract<typeof part, { type: 'result' }> | undefined {
  return part?.type === 'result' ? part : undefined;
}

const weighed = new WeakMap<Span, number>();

function tokensOf(span: Span): number {
  const tokens = weighed.get(span) ?? span.parts.reduce((sum, part) => sum + partTokens(part), 0);
  weighed.set(span, tokens);
  return tokens;
}

function isSkill(call: string, { skillCalls }: State): boolean {
  return [...skillCalls].some(
    (id) => call === id || (call.startsWith(`${id}_`) && /^\d+_*$/.test(call.slice(id.length + 1))),
  );
}

function freedOf(span: Span): number {
  const { content = [] } = resultOf(span) ?? {};
  const text = textOfResult(content);
  if (text.length <= 1_200 && content.every(({ type }) => type === 'text')) return 0;
  const at = span.origin.from === 'event' ? span.origin.position : -1;
  return tokensOf(span) - partTokens(renderPruned(content, Math.min(500, text.length), at));
}

function batchesOf(found: readonly Found[], end: number, input: PruningInput): readonly Batch[] {
  const entries = entriesOf(input);
  return found.map(({ blocks }, first) => {
    const batch = found.slice(first);
    const freed = batch.reduce((sum, one) => sum + one.freed, 0);
    const read = batch.reduce((sum, one) => sum + one.freed * one.reads, 0);
    const kept = entries
      .filter((entry) => entry.blocks <= blocks)
      .reduce((most, { tokens }) => Math.max(most, tokens), 0);
    return { first, freed, read, rewritten: end - kept - freed };
  });
}

/** What the entries hold of the history that were written or read since it was edited. */
function entriesOf({ state, at }: PruningInput): readonly { readonly blocks: number; readonly tokens: number }[] {
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
      return { blocks, tokens };
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
  const said = slice(packed).some(({ parts }) => parts.some(({ type }) => type === 'change'));
  return neededEpoch(state, wanted) === undefined && changes.length === 0 && !said;
}

function savedBy({ read, rewritten }: Batch, { capabilities, at, ttl, state }: PruningInput): number {
  const price = unitPrice(capabilities, at, state.streams['main']?.accepted?.input ?? 0);
  if (price === undefined || callsSinceEdit(state) < 2) return Number.NEGATIVE_INFINITY;
  const rates = ratesOf(price);
  const more = Math.max(0, Number(multiplier(price, ttl) ?? rates.write) - rates.read.toNumber());
  return read * rates.read.toNumber() - rewritten * more;
}
