// The input of the next request before anybody counted it: what the last usage told, and the estimate of all that was
// appended since. Where no usage tells a total, or an edit or another model makes it useless, everything is estimated.

import { defined } from '@tidemark/core';
import type { EpochOpened, SizeForecast } from '@tidemark/log';
import type { AnswerPart, Part, Span } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { Learnt, Ratio, TokenEstimate } from '../state/scales.ts';
import { applyRatio, learntFor } from '../state/scales.ts';
import type { SpanSize } from '../base/estimate.ts';
import { addSizes, NO_SIZE, sizeOfParts, sizeOfSpan } from '../base/estimate.ts';
import type { Accepted, RequestCount, History, State } from '../state/state.ts';

/** The size of the next request's input: the last usage that was reported, plus estimates of what was appended since. */
export interface NextInput {
  /** Absent where they are unknown: the log does not tell how large the tools of the request are. */
  readonly tokens?: NextTokens;
  /** Bytes of the body, estimated but for those that were sent before. */
  readonly bytes: number;
}

/** Tokens, by how they are known. */
export interface NextTokens {
  /** Input and answer of the last accepted request, as they were counted; where that does not stand, what a recording counted. */
  readonly measured: number;
  /** All else, as its characters tell it: before any ratio. */
  readonly appended: number;
}

/** The last accepted request, where the next one extends it: no edit since, and the same model counts. */
function standing({ streams, epoch }: State): Accepted | undefined {
  return extendedCount(streams['main']?.accepted, epoch);
}

function extendedCount<Last extends RequestCount | Accepted>(
  last: Last | undefined,
  epoch: State['epoch'],
): Last | undefined {
  if (last === undefined || epoch === undefined) return undefined;
  return last.position > epoch.edited && last.model === epoch.opened.model ? last : undefined;
}

/**
 * What the next request will hold, by a model that takes so many tokens at most. The cost follows what was appended since the last
 * accepted one. A count above that is none: a request so large would not have been accepted.
 */
export function nextInput(state: State, most: number = Infinity): NextInput {
  const accepted = standing(state);
  const last = lastCount(state, accepted);
  if ((accepted?.input ?? 0) > most) return estimatedWhole(state);
  if (last === undefined)
    return { ...estimatedWhole(state), ...(isWhole(accepted) && { bytes: bytesBehind(state, accepted) }) };
  const { input, answer, spans } = last;
  const since = sizeSince(state.history, spans, answer?.position);
  const said = answer === undefined ? NO_SIZE : answerSize(state.history, answer.position);
  const bytes = isWhole(accepted) ? bytesBehind(state, accepted) : estimatedWhole(state).bytes;
  const counted = answer?.tokens ?? 0;
  const appended = since.tokens + uncountedTokens(said.tokens, counted);
  return { bytes, tokens: { measured: input + counted, appended } };
}

/** Whether the request was answered whole, or counted before its answer was cut. */
function isWhole(accepted: Accepted | undefined): accepted is Accepted {
  return accepted !== undefined && (accepted.answer !== undefined || !isUncounted(accepted));
}

/** The bytes that were sent with a request, and those that its answer and what came since will take. */
function bytesBehind({ history }: State, { answer, spans, prepared }: Accepted): number {
  const said = answer === undefined ? NO_SIZE : answerSize(history, answer.position);
  return prepared.bytes + said.bytes + sizeSince(history, spans, answer?.position).bytes;
}

/** The last count that the next request extends: a call without a total leaves the count before it in force. */
function lastCount({ counted, epoch }: State, accepted: Accepted | undefined): CountedInput | undefined {
  const last = accepted === undefined || isUncounted(accepted) ? extendedCount(counted, epoch) : accepted;
  const input = last?.input;
  return last === undefined || input === undefined ? undefined : { ...last, input };
}

type CountedInput = (Accepted | RequestCount) & { readonly input: number };

/** Whether the provider told no total of the call's input: it was cut too early, or its server counts nothing. */
export function isUncounted({ input }: Pick<Accepted, 'input'>): boolean {
  return input === undefined;
}

/** The part of an answer that was not counted: all of it, or what a usage that was told before its end cannot hold. */
function uncountedTokens(said: number, counted: number): number {
  return 2 * counted < said ? said - counted : 0;
}

/** The estimate of the next request's input as its record says it; `undefined` where it is unknown. */
export function sizeForecast(state: State, { tokens }: NextInput): SizeForecast | undefined {
  if (tokens === undefined) return undefined;
  const { tokens: scaled, error } = applyRatio(ratioFor(state, tokens), tokens.appended);
  return { ...tokens, input: tokens.measured + scaled, ...defined({ error }) };
}

/** What was appended to what was counted has its own; a whole request is not like what is appended to one. */
function ratioFor(state: State, { measured }: NextTokens): Ratio {
  const { appended, whole } = learntOf(state);
  return measured === 0 && whole.samples > 0 ? whole : appended;
}

/** An unscaled estimate of some of the history on the scale of the model that will count it. */
export function inModelTokens(state: State, estimated: number): TokenEstimate {
  return applyRatio(learntOf(state).appended, estimated);
}

/** Estimated output tokens of an answer whose provider counted none. */
export function estimatedOutput(state: State, parts: readonly (Part | AnswerPart)[]): number {
  return inModelTokens(state, sizeOfParts(parts).tokens).tokens;
}

/** What measured calls taught of the model in force. */
export function learntOf({ ratios, epoch }: State): Learnt {
  return learntFor(ratios, epoch?.opened.model ?? '');
}

function estimatedWhole(state: State): NextInput {
  const { history, epoch, counted } = state;
  const tail = historySize(history);
  if (epoch === undefined) return { bytes: tail.bytes };
  const front = frontSize(state);
  const { layers, tools, toolSize } = epoch.opened;
  // A layer whose size a recording tells was counted by the provider already.
  const measured = isRecorded(epoch.opened)
    ? counted?.front
    : layers.reduce((sum, { sized, tokens }) => sum + (sized === 'recorded' ? tokens : 0), 0);
  const definitions = tools.length === 0 ? NO_SIZE : toolSize;
  const bytes = tail.bytes + front.bytes + (definitions?.bytes ?? 0);
  if (measured === undefined || definitions === undefined) return { bytes };
  return { bytes, tokens: { measured, appended: front.tokens - measured + definitions.tokens + tail.tokens } };
}

/** Whether an epoch was recorded elsewhere: a front has a text at least, and nobody recorded this one's. */
export function isRecorded({ layers }: Pick<EpochOpened, 'layers'>): boolean {
  return layers.length === 0;
}

/** Bytes that a token of a front nobody recorded is taken to have. */
const TOKEN_BYTES = 4;

/** The texts in front of the history; of a recording, what its first count leaves for them and the tools. */
export function frontSize({ epoch, counted }: State): SpanSize {
  if (epoch === undefined || !isRecorded(epoch.opened)) {
    return (epoch?.opened.layers ?? []).reduce((sum, one) => addSizes(sum, one), NO_SIZE);
  }
  const tokens = counted?.front ?? 0;
  return { tokens, bytes: tokens * TOKEN_BYTES };
}

/** All of the history, packed or waiting. */
export function historySize(history: History): SpanSize {
  return sizeSince(history, 0, undefined);
}

/** All that is packed, or waits to be, behind so many spans; without the answer that was counted. */
function sizeSince(history: History, spans: number, answered: number | undefined): SpanSize {
  let size = waitingSize(history);
  for (let index = history.packed.length - 1; index >= 0; index -= 1) {
    const span = itemAt(history.packed, index);
    if (span === undefined || span.ordinal < spans) break;
    if (!isFrom(span, answered)) size = addSizes(size, sizeOfSpan(span));
  }
  return size;
}

/** What waits for its place behind what is packed. */
export function waitingSize({ batch, notes, prompts, changes }: History): SpanSize {
  const closings = batch === undefined ? [] : [...batch.closed.values()].flatMap(({ content }) => content);
  const said = [...notes, ...prompts].flatMap(({ parts }) => parts);
  return sizeOfParts([...closings, ...said, ...changes.map(({ part }) => part)]);
}

/** The answer of the last accepted request, packed or with its calls still open. */
function answerSize({ batch, packed }: History, position: number): SpanSize {
  if (batch?.position === position) return sizeOfParts(batch.answer.parts);
  for (let index = packed.length - 1; index >= 0; index -= 1) {
    const span = itemAt(packed, index);
    if (span !== undefined && isFrom(span, position)) return sizeOfSpan(span);
    if (span === undefined || (span.origin.from === 'event' && span.group < position)) break;
  }
  return NO_SIZE;
}

function isFrom({ origin, role }: Span, position: number | undefined): boolean {
  return role === 'assistant' && origin.from === 'event' && origin.position === position;
}

/** Turns that are looked at: enough that one long or short turn alone decides nothing. */
const TURNS = 3;

/**
 * Returns the tokens that the turn before the open one added, as the median of the last three turns that are packed whole: an
 * estimate on the model's scale. `undefined` when no such turn is packed. The cost follows the length of these turns.
 */
export function turnGrowth(state: State): number | undefined {
  const added = lastTurns(state).toSorted((a, b) => a - b);
  const median = added[Math.floor((added.length - 1) / 2)];
  return median === undefined ? undefined : inModelTokens(state, median).tokens;
}

/** Estimated tokens of the last turns but the open one, the newest first. */
function lastTurns({ turns, history: { packed, lead }, compacted }: State): readonly number[] {
  const behind = compacted?.data.range.to ?? -1;
  const added: number[] = [];
  let index = packed.length - 1;
  for (let turn = turns.length - 1; turn >= 0 && added.length <= TURNS; turn -= 1) {
    const start = itemAt(turns, turn) ?? -1;
    // A part of it stands in the checkpoint.
    if (start <= behind) break;
    let tokens = 0;
    for (; index >= lead; index -= 1) {
      const span = itemAt(packed, index);
      if (span === undefined || span.group < start) break;
      tokens += sizeOfSpan(span).tokens;
    }
    added.push(tokens);
  }
  // The open turn has added nothing but its prompt.
  return added.slice(1);
}
