// Finds long old results that may be shortened. The latest results, results that the model has not read yet, and skill
// bodies are excluded. Uses and sums are stored with the packed list, so only new spans are processed each time.

import type { Position } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { ResultPart, Span } from '@tidemark/model';
import type { AppendOnly } from '../base/append-only.ts';
import { itemAt, slice } from '../base/append-only.ts';
import { chanceOfNeed, GROUNDS, goToTurn, groundsOf, noteResult, noteSaid, noUses } from './uses.ts';
import { partTokens } from '../base/estimate.ts';
import type { TextCut } from '../base/render.ts';
import { cutOf } from '../base/render.ts';
import type { State } from '../state/state.ts';
import type { SumTree } from './sum-tree.ts';
import { addAt, appendZero, firstPositive, sumOfFirst, sumTree } from './sum-tree.ts';
import type { Grounds, ResultUse, Uses } from './uses.ts';

/** Long result that is old and was sent. Tokens are estimates. */
export interface OldResult {
  /** Position of the record that contains the result. */
  readonly position: Position;
  /** Call id as it is sent to the provider. */
  readonly call: string;
  readonly cut: TextCut;
  /**
   * `whole` is the number of tokens of the whole result. `freed` is the number of tokens that are freed if the result
   * is shortened.
   */
  readonly whole: number;
  readonly freed: number;
  /** Number of this session's calls up to the call that first sent the result. Every later call has read the result. */
  readonly written: number;
  /** Tokens of the history before the result. */
  readonly packedBefore: number;
  readonly group: number;
  readonly use: ResultUse;
}

/** Sums over results that may be shortened. Tokens are estimates. */
export interface Totals {
  readonly count: number;
  readonly freed: number;
  /** Tokens to be freed. Each token is counted one time for each call of this session that has read it. */
  readonly read: number;
  /**
   * `refetched` is the number of tokens that are expected to be fetched again. `refetches` is the expected number of
   * calls that fetch them.
   */
  readonly refetched: number;
  readonly refetches: number;
}

/** Old results, oldest first, and the sizes of the history that was sent. Tokens are estimates. */
export interface OldResults {
  readonly found: AppendOnly<OldResult>;
  /** Index of the first result that a waiting compaction does not drop. */
  readonly from: number;
  readonly sums: Readonly<Record<Grounds, SumTree>>;
  /**
   * Sums of all found results, by grounds. Most queries read only these sums, because usually no result has the queried
   * grounds.
   */
  readonly all: Readonly<Record<Grounds, readonly number[]>>;
  /**
   * Number of this session's calls that are packed. In a fork, the calls of the parent are not counted, because their
   * cost is already paid.
   */
  readonly calls: number;
  readonly sent: number;
  /** Tokens of the history up to the end of the last accepted request. */
  readonly end: number;
  /** Tokens and blocks of the history before each packed span. */
  readonly spans: { readonly tokens: readonly number[]; readonly blocks: readonly number[] };
}

/** Number of latest results that always stay whole. */
const WHOLE = 6;

/** Number of values that are summed for each result: see `weightsOf`. */
const WIDTH = 5;

/**
 * Finds the old results. The running time is proportional to the spans that were packed since the last call for the
 * same list. For another list, it is proportional to the whole list.
 */
export function oldResults(state: State): OldResults {
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
  const found = { buffer: sums.found, length: countOld(sums, index) };
  // The checkpoint comes first in the list, but it is newer than the spans after it. It may therefore not have been
  // sent yet.
  const unsent = slice(packed, 0, lead).filter(({ ordinal }) => ordinal >= held);
  const sent = unsent.reduce((sum, span) => sum - tokensOf(span), end);
  const from = firstBehind(found, droppedUpTo(state));
  const { trees, answers: calls, before: spans } = sums;
  return { found, from, sums: trees, all: sumsOfAll(trees, found.length), calls, sent, end, spans };
}

function sumsOfAll(trees: OldResults['sums'], length: number): OldResults['all'] {
  return {
    repeated: sumOfFirst(trees.repeated, length),
    changed: sumOfFirst(trees.changed, length),
    'changed-unused': sumOfFirst(trees['changed-unused'], length),
    unused: sumOfFirst(trees.unused, length),
  };
}

const NOTHING: Totals = { count: 0, freed: 0, read: 0, refetched: 0, refetches: 0 };

/** Returns the sums of the results from `index` on that are prunable on the given grounds. */
export function totalsFrom({ sums, all, from, calls }: OldResults, index: number, grounds: Grounds): Totals {
  const upTo = all[grounds];
  if (upTo[0] === 0) return NOTHING;
  const before = sumOfFirst(sums[grounds], Math.max(from, index));
  const [count = 0, freed = 0, written = 0, refetched = 0, refetches = 0] = upTo.map(
    (sum, at) => sum - (before[at] ?? 0),
  );
  return { count, freed, read: calls * freed - written, refetched, refetches };
}

/**
 * Returns the index of the first result at or after `index` that is prunable on one of these grounds, or `undefined`.
 */
export function firstPrunable(
  { sums, found, from }: OldResults,
  index: number,
  grounds: readonly Grounds[],
): number | undefined {
  if (grounds.length === 0) return undefined;
  const firsts = grounds.map((one) => firstPositive(sums[one], Math.max(from, index)) ?? found.length);
  const first = Math.min(found.length, ...firsts);
  return first < found.length ? first : undefined;
}

function countOld({ places, found, results }: Sums, sent: number): number {
  let count = found.length;
  for (; count > 0; count -= 1) {
    const place = places[count - 1];
    if (place !== undefined && place.span < sent && place.rank < results - WHOLE) break;
  }
  return count;
}

/** Returns the index of the first result that is packed after a position, by binary search. */
function firstBehind(found: AppendOnly<OldResult>, dropped: number): number {
  let [low, high] = [0, found.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((itemAt(found, middle)?.group ?? Infinity) <= dropped) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the last position that the next epoch drops because of a waiting compaction, or -1. */
function droppedUpTo({ compacted, epoch }: State): number {
  return compacted === undefined || compacted.position === epoch?.opened.checkpoint ? -1 : compacted.data.range.to;
}

/** State of the search for old results in one packed list. `spans` is the number of spans that were processed. */
interface Sums {
  readonly prunings: State['prunings'];
  /** Positions of the results that the prunings name. */
  readonly recorded: ReadonlySet<number>;
  /** Position where the session begins. `answers` is the number of calls that the session has made after it. */
  readonly begins: State['createdAt'];
  answers: number;
  skills: State['skillCalls'];
  readonly before: { readonly tokens: number[]; readonly blocks: number[] };
  spans: number;
  /** Number of parts so far. Each part is one block at most. */
  blocks: number;
  results: number;
  tokens: number;
  readonly uses: Uses;
  readonly found: OldResult[];
  /** Index of each found result among the spans, and its rank among all results. */
  readonly places: { readonly span: number; readonly rank: number }[];
  /** Grounds under which each found result is counted in the sums. */
  readonly counted: (Grounds | undefined)[];
  readonly trees: Readonly<Record<Grounds, SumTree>>;
  readonly byUse: Map<ResultUse, number>;
  /** Call ids of the found results, in each form in which they may have been recorded. */
  readonly calls: Set<string>;
}

// Sums by packed list. Many states share one list, and usually the sums are needed only for the newest state.
const sumsByList = new WeakMap<readonly Span[], Sums>();

function sumsOf(state: State): Sums {
  const { packed } = state.history;
  const known = sumsByList.get(packed.buffer);
  const sums = known !== undefined && stillHold(known, state) ? known : noSums(state);
  sums.skills = state.skillCalls;
  for (let index = sums.spans; index < packed.length; index += 1) {
    const span = itemAt(packed, index);
    if (span !== undefined) addSpan(sums, span, state.turns);
  }
  goToTurn(sums.uses, state.turns.length);
  countChanged(sums);
  sumsByList.set(packed.buffer, sums);
  return sums;
}

function noSums({ prunings, skillCalls, createdAt: begins, workspace }: State): Sums {
  const recorded = new Set(prunings.flatMap(({ results }) => results.map(({ position: at }) => at)));
  return {
    prunings,
    recorded,
    begins,
    skills: skillCalls,
    answers: 0,
    before: { tokens: [], blocks: [] },
    spans: 0,
    blocks: 0,
    results: 0,
    tokens: 0,
    uses: noUses(workspace),
    found: [],
    places: [],
    counted: [],
    trees: {
      repeated: sumTree(WIDTH),
      changed: sumTree(WIDTH),
      'changed-unused': sumTree(WIDTH),
      unused: sumTree(WIDTH),
    },
    byUse: new Map(),
    calls: new Set(),
  };
}

/**
 * Checks if stored sums can be used. They cannot be used for a state that is older than the last processed state, or
 * for other prunings. They also cannot be used if a found result is now known to be a skill.
 */
function stillHold({ prunings, skills, spans, calls, begins, uses }: Sums, state: State): boolean {
  if (spans > state.history.packed.length || uses.turn > state.turns.length) return false;
  if (prunings !== state.prunings || begins !== state.createdAt) return false;
  if (skills === state.skillCalls) return true;
  return skills.size <= state.skillCalls.size && ![...state.skillCalls].slice(skills.size).some((id) => calls.has(id));
}

function addSpan(sums: Sums, span: Span, turns: State['turns']): void {
  const { uses } = sums;
  goToTurn(uses, turnOf(span, turns, uses.turn));
  const result = resultOf(span);
  if (result === undefined) noteSaid(uses, span);
  else addResult(sums, span, result);
  if (span.role === 'assistant' && span.group > (sums.begins ?? 0)) sums.answers += 1;
  sums.before.tokens.push(sums.tokens);
  sums.before.blocks.push(sums.blocks);
  sums.tokens += tokensOf(span);
  sums.blocks += span.parts.length;
  sums.spans += 1;
}

/** Returns the number of turns that had started before a span. The number never decreases from one span to the next. */
function turnOf({ group }: Span, turns: State['turns'], before: number): number {
  let turn = before;
  while ((itemAt(turns, turn) ?? Infinity) < group) turn += 1;
  return turn;
}

function addResult(sums: Sums, span: Span, result: ResultPart): void {
  const { found, recorded, skills, tokens: packedBefore, spans, results: rank } = sums;
  const { call } = result;
  sums.results += 1;
  const use = noteResult(sums.uses, result);
  const ids = recordedAs(call);
  const shortened = ids.some((id) => skills.has(id)) ? undefined : shortenedOf(span, use);
  if (shortened === undefined || recorded.has(shortened.position)) return;
  const whole = tokensOf(span);
  sums.byUse.set(use, found.length);
  found.push({ ...shortened, call, whole, written: sums.answers + 1, packedBefore, group: span.group, use });
  sums.places.push({ span: spans, rank });
  sums.counted.push(undefined);
  for (const grounds of GROUNDS) appendZero(sums.trees[grounds]);
  for (const id of ids) sums.calls.add(id);
}

function countChanged({ uses, byUse, found, counted, trees }: Sums): void {
  for (const use of uses.changed) {
    const index = byUse.get(use);
    const result = index === undefined ? undefined : found[index];
    if (index === undefined || result === undefined) continue;
    const [before, after] = [counted[index], groundsOf(use)];
    if (before === after) continue;
    if (before !== undefined) addAt(trees[before], index, weightsOf(result, before), -1);
    if (after !== undefined) addAt(trees[after], index, weightsOf(result, after), 1);
    counted[index] = after;
  }
  uses.changed.clear();
}

/**
 * Returns the values of a result in the order of `Totals`. The third value is `freed` times `written`, from which
 * `totalsFrom` computes `read`.
 */
function weightsOf({ freed, written, whole }: OldResult, grounds: Grounds): readonly number[] {
  const chance = chanceOfNeed[grounds];
  return [1, freed, freed * written, chance * whole, chance];
}

/** Returns the id. Also returns the id without the suffix that `settle` adds to repeated ids. */
function recordedAs(call: string): readonly string[] {
  return [call, call.replace(/_\d+_*$/, '')];
}

function resultOf({ parts: [part] }: Span): ResultPart | undefined {
  return part?.type === 'result' ? part : undefined;
}

// Spans never change, so each is measured only once, for all lists that contain it.
const weighed = new WeakMap<Span, number>();

const shortenings = new WeakMap<Span, Shortened | 'whole'>();

type Shortened = Pick<OldResult, 'position' | 'cut' | 'freed'>;

function tokensOf(span: Span): number {
  const known = weighed.get(span) ?? span.parts.reduce((sum, part) => sum + partTokens(part), 0);
  weighed.set(span, known);
  return known;
}

function shortenedOf(span: Span, use: ResultUse): Shortened | undefined {
  const known = shortenings.get(span) ?? findShortened(span, use) ?? 'whole';
  shortenings.set(span, known);
  return known === 'whole' ? undefined : known;
}

function findShortened(span: Span, { of }: ResultUse): Shortened | undefined {
  const result = resultOf(span);
  if (result === undefined || span.origin.from !== 'event') return undefined;
  const at = span.origin.position;
  const shown = cutOf(result.content, of?.deed === 'ran' ? 'end' : 'beginning', at);
  const freed = shown === undefined ? 0 : tokensOf(span) - partTokens(shown.text);
  return shown !== undefined && freed > 0 ? { position: position(at), cut: shown.cut, freed } : undefined;
}
