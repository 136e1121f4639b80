// Old tool results that may be shortened: all but the latest, what the model has not read yet, and bodies of skills. They are
// counted once, in running sums beside the packed list, so that a step adds what is new to it.

import type { Position } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { ResultPart, Span } from '@tidemark/model';
import { graphemeAt } from '@tidemark/model';
import type { AppendOnly } from './append-only.ts';
import { appendOnly, itemAt, slice } from './append-only.ts';
import { partTokens } from './part-tokens.ts';
import { renderPruned, textOfResult } from './render-pruned.ts';
import type { State } from './state.ts';

/** A result that may be shortened. Tokens are estimates. */
export interface Prunable {
  /** Of the record that holds it. */
  readonly position: Position;
  /** By the id that the provider is sent. */
  readonly call: string;
  /** UTF-16 units of its text that would still be shown. */
  readonly kept: number;
  readonly freed: number;
  /** What those before it free together. */
  readonly freedBefore: number;
  /** Calls of this session that had been made when it was written: every later one has read it. */
  readonly written: number;
  /** What those before it free, each times the calls by which it was written. */
  readonly writtenBefore: number;
  /** All that is packed before it. */
  readonly packedBefore: number;
}

/** All of them, the oldest first; and what of the history was sent. Tokens are estimates. */
export interface Prunables {
  readonly results: AppendOnly<Prunable>;
  /** What these free together. */
  readonly freed: number;
  /** What of that was read so far: the same, each once for each call of this session that has read it. */
  readonly read: number;
  /** Calls of this session that are packed: in a fork its own alone, as those of its parent are paid. */
  readonly calls: number;
  readonly sent: number;
  /** All that is packed before the end of what was sent. */
  readonly end: number;
  /** By span of what is packed, what stands before it. */
  readonly spans: { readonly tokens: readonly number[]; readonly blocks: readonly number[] };
}

/** Results that stay whole: the latest. */
const WHOLE = 6;
/** A text that stays whole, and what is still shown of a longer one, in UTF-16 units. */
const LONG = 1_200;
const PREVIEW = 500;

/** Finds them. The cost follows what was packed since the last time; where the list is another one, all of it. */
export function prunableResults(state: State): Prunables {
  const { packed, lead } = state.history;
  const sums = sumsOf(state);
  const held = state.streams['main']?.accepted?.spans ?? 0;
  let { tokens: end } = sums;
  let index = packed.length;
  for (; index > lead; index -= 1) {
    const span = itemAt(packed, index - 1);
    if (span === undefined || span.ordinal < held) break;
    end -= tokensOf(span);
  }
  const results = notDropped({ buffer: sums.found, length: countOld(sums, index) }, droppedUpTo(state));
  // A checkpoint stands first, and is newer than what is kept behind it.
  const unsent = slice(packed, 0, lead).filter(({ ordinal }) => ordinal >= held);
  const sent = unsent.reduce((sum, span) => sum - tokensOf(span), end);
  const { answers: calls, before: spans } = sums;
  const freed = freedUpTo(itemAt(results, -1));
  return { results, freed, read: calls * freed - writtenUpTo(itemAt(results, -1)), calls, sent, end, spans };
}

/** How many of those found are neither among the latest results nor behind what was sent. */
function countOld({ found, results }: Sums, sent: number): number {
  const last = found.findLastIndex(({ span, rank }) => span < sent && rank < results - WHOLE);
  return last + 1;
}

/** What a compaction that waits for its epoch leaves of them. */
function notDropped(results: AppendOnly<Found>, dropped: number): AppendOnly<Found> {
  if (dropped < 0) return results;
  const left = slice(results).filter(({ group }) => group > dropped);
  const { freedBefore: freed = 0, writtenBefore: written = 0 } = left[0] ?? {};
  return appendOnly(
    left.map((one) => ({ ...one, freedBefore: one.freedBefore - freed, writtenBefore: one.writtenBefore - written })),
  );
}

/** What the results up to this one free together. */
function freedUpTo(last: Prunable | undefined): number {
  return last === undefined ? 0 : last.freedBefore + last.freed;
}

/** The same, each times the calls by which it was written. */
function writtenUpTo(last: Prunable | undefined): number {
  return last === undefined ? 0 : last.writtenBefore + last.freed * last.written;
}

/** Up to where the next epoch drops what is packed. */
function droppedUpTo({ compacted, epoch }: State): number {
  return compacted === undefined || compacted.position === epoch?.opened.checkpoint ? -1 : compacted.data.range.to;
}

/** One that was found, old or not yet. */
interface Found extends Prunable {
  /** Its place among the spans, and among the results. */
  readonly span: number;
  readonly rank: number;
  readonly group: number;
}

/** What is known of a packed list up to some span. */
interface Sums {
  readonly prunings: State['prunings'];
  /** Positions of the results that these name. */
  readonly recorded: ReadonlySet<number>;
  /** Where the session begins, and the calls that it has made since. */
  readonly begins: State['createdAt'];
  answers: number;
  skills: State['skillCalls'];
  /** Of each span, what is packed before it. */
  readonly before: { readonly tokens: number[]; readonly blocks: number[] };
  spans: number;
  /** A part is a block, or none. */
  blocks: number;
  results: number;
  tokens: number;
  readonly found: Found[];
  /** Ids of the calls of those found, each as it may have been recorded. */
  readonly calls: Set<string>;
}

// By the list itself: many states share one, and the newest of them asks.
const kept = new WeakMap<readonly Span[], Sums>();

/** The sums up to the end of what is packed. */
function sumsOf(state: State): Sums {
  const { packed } = state.history;
  const known = kept.get(packed.buffer);
  const sums = known !== undefined && stillHold(known, state) ? known : noSums(state);
  sums.skills = state.skillCalls;
  for (let index = sums.spans; index < packed.length; index += 1) {
    const span = itemAt(packed, index);
    if (span !== undefined) addSpan(sums, span);
  }
  kept.set(packed.buffer, sums);
  return sums;
}

function noSums({ prunings, skillCalls, createdAt: begins }: State): Sums {
  const recorded = new Set(prunings.flatMap(({ results }) => results.map(({ position: at }) => at)));
  const before = { tokens: [], blocks: [] };
  const none = { answers: 0, before, spans: 0, blocks: 0, results: 0, tokens: 0, found: [], calls: new Set<string>() };
  return { prunings, recorded, begins, skills: skillCalls, ...none };
}

/** Not for a state before those that were asked about, and where a result turned out to be a skill. */
function stillHold({ prunings, skills, spans, calls, begins }: Sums, state: State): boolean {
  if (spans > state.history.packed.length || prunings !== state.prunings || begins !== state.createdAt) return false;
  if (skills === state.skillCalls) return true;
  return skills.size <= state.skillCalls.size && ![...state.skillCalls].slice(skills.size).some((id) => calls.has(id));
}

function addSpan(sums: Sums, span: Span): void {
  const result = resultOf(span);
  if (result !== undefined) addResult(sums, span, result.call);
  if (span.role === 'assistant' && span.group > (sums.begins ?? 0)) sums.answers += 1;
  sums.before.tokens.push(sums.tokens);
  sums.before.blocks.push(sums.blocks);
  sums.tokens += tokensOf(span);
  sums.blocks += span.parts.length;
  sums.spans += 1;
}

function addResult(sums: Sums, span: Span, call: string): void {
  const { found, recorded, skills, tokens: packedBefore, spans, results: rank } = sums;
  sums.results += 1;
  const ids = recordedAs(call);
  const cut = ids.some((id) => skills.has(id)) ? undefined : cutOf(span);
  if (cut === undefined || recorded.has(cut.position)) return;
  const before = { freedBefore: freedUpTo(found.at(-1)), writtenBefore: writtenUpTo(found.at(-1)), packedBefore };
  found.push({ ...cut, ...before, call, written: sums.answers + 1, span: spans, rank, group: span.group });
  for (const id of ids) sums.calls.add(id);
}

/** An id that was used before is sent under a name that begins with it: see `settle`. */
function recordedAs(call: string): readonly string[] {
  return [call, call.replace(/_\d+_*$/, '')];
}

function resultOf({ parts: [part] }: Span): ResultPart | undefined {
  return part?.type === 'result' ? part : undefined;
}

// A span never changes, so that it is measured once, whatever lists it comes to stand in.
const weighed = new WeakMap<Span, number>();
const cuts = new WeakMap<Span, Cut | 'whole'>();

type Cut = Pick<Prunable, 'position' | 'kept' | 'freed'>;

function tokensOf(span: Span): number {
  const known = weighed.get(span) ?? span.parts.reduce((sum, part) => sum + partTokens(part), 0);
  weighed.set(span, known);
  return known;
}

function cutOf(span: Span): Cut | undefined {
  const known = cuts.get(span) ?? findCut(span) ?? 'whole';
  cuts.set(span, known);
  return known === 'whole' ? undefined : known;
}

/** How the result is cut; `undefined` where it is short, or nothing would be gained. */
function findCut(span: Span): Cut | undefined {
  const result = resultOf(span);
  if (result === undefined || span.origin.from !== 'event') return undefined;
  const text = textOfResult(result.content);
  if (text.length <= LONG && result.content.every(({ type }) => type === 'text')) return undefined;
  const units = text.length <= PREVIEW ? text.length : (graphemeAt(text, PREVIEW)?.index ?? PREVIEW);
  const shown = renderPruned(result.content, units, span.origin.position);
  const freed = tokensOf(span) - partTokens(shown);
  return freed > 0 ? { position: position(span.origin.position), kept: units, freed } : undefined;
}
