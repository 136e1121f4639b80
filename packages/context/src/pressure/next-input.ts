// Estimates the input of the next request before the provider counts it. The estimate is the last reported usage, plus
// an estimate of all content that was appended after it. In three cases everything is estimated: no total was reported,
// the history was edited, or the next request is for another model.

import { defined } from '@tidemark/core';
import type { EpochOpened, SizeForecast } from '@tidemark/log';
import type { AnswerPart, Part, Span } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { Learnt, Ratio, TokenEstimate } from '../state/scales.ts';
import { applyRatio, learntFor } from '../state/scales.ts';
import type { SpanSize } from '../base/estimate.ts';
import { addSizes, NO_SIZE, sizeOfParts, sizeOfSpan } from '../base/estimate.ts';
import type { Accepted, RequestCount, History, State } from '../state/state.ts';

/**
 * Size of the next request's input: the last reported usage, plus estimates of the content that was appended after it.
 */
export interface NextInput {
  /** Absent if unknown, because the log does not contain the size of the tools or of the front. */
  readonly tokens?: NextTokens;
  /** Bytes of the request body: the bytes that were sent before, plus an estimate of the new bytes. */
  readonly bytes: number;
}

/** Tokens of the next request's input, divided into a counted and an estimated part. */
export interface NextTokens {
  /**
   * Counted input and answer of the last accepted request. If that count cannot be used, this is the part of the front
   * that the provider counted in an imported session, or 0.
   */
  readonly measured: number;
  /** Estimate of all other content from its characters, before the learnt ratio is applied. */
  readonly appended: number;
}

/**
 * Returns the last accepted request if the next request extends it. Otherwise returns `undefined`. The next request
 * extends it if the model is the same and nothing was edited in between.
 */
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
 * Estimates the size of the next request's input. `most` is the model's window in tokens. A count above `most` is
 * ignored, because the provider refuses such a request. The running time is proportional to the content that was
 * appended after the last accepted request.
 */
export function nextInput(state: State, most: number = Infinity): NextInput {
  const accepted = standing(state);
  const last = lastCount(state, accepted);
  if ((accepted?.input ?? 0) > most) return estimatedWhole(state);
  if (last === undefined)
    return { ...estimatedWhole(state), ...(isWhole(accepted) && { bytes: bytesSince(state, accepted) }) };
  const { input, answer, spans } = last;
  const since = sizeSince(state.history, spans, answer?.position);
  const size = answer === undefined ? NO_SIZE : answerSize(state.history, answer.position);
  const bytes = isWhole(accepted) ? bytesSince(state, accepted) : estimatedWhole(state).bytes;
  const counted = answer?.tokens ?? 0;
  const appended = since.tokens + uncountedTokens(size.tokens, counted);
  return { bytes, tokens: { measured: input + counted, appended } };
}

/** Checks if the request got its whole answer, or was counted before its answer was cut. */
function isWhole(accepted: Accepted | undefined): accepted is Accepted {
  return accepted !== undefined && (accepted.answer !== undefined || !isUncounted(accepted));
}

function bytesSince({ history }: State, { answer, spans, prepared }: Accepted): number {
  const size = answer === undefined ? NO_SIZE : answerSize(history, answer.position);
  return prepared.bytes + size.bytes + sizeSince(history, spans, answer?.position).bytes;
}

/**
 * Returns the last counted request that the next request extends, or `undefined`. If the last call reported no total,
 * the counted request before it is returned.
 */
function lastCount({ counted, epoch }: State, accepted: Accepted | undefined): CountedInput | undefined {
  const last = accepted === undefined || isUncounted(accepted) ? extendedCount(counted, epoch) : accepted;
  const input = last?.input;
  return last === undefined || input === undefined ? undefined : { ...last, input };
}

type CountedInput = (Accepted | RequestCount) & { readonly input: number };

/**
 * Checks if the provider reported no total input for the call. The total is missing if the call was cut too early, or
 * if the server does not count.
 */
export function isUncounted({ input }: Pick<Accepted, 'input'>): boolean {
  return input === undefined;
}

/**
 * Returns the tokens of an answer that the provider's count does not cover, or 0. `estimated` is the estimate of the
 * answer. If the count is below half of the estimate, it was probably reported before the end of the answer. In this
 * case the difference is returned.
 */
function uncountedTokens(estimated: number, counted: number): number {
  return 2 * counted < estimated ? estimated - counted : 0;
}

/** Returns the size forecast for the request's record, or `undefined` if the tokens are unknown. */
export function sizeForecast(state: State, { tokens }: NextInput): SizeForecast | undefined {
  if (tokens === undefined) return undefined;
  const { tokens: scaled, error } = applyRatio(ratioFor(state, tokens), tokens.appended);
  return { ...tokens, input: tokens.measured + scaled, ...defined({ error }) };
}

/**
 * Selects the ratio for an estimate. If no part of this request was counted and the ratio for whole requests is known,
 * it is that ratio. Otherwise it is the ratio for appended content.
 */
function ratioFor(state: State, { measured }: NextTokens): Ratio {
  const { appended, whole } = learntOf(state);
  return measured === 0 && whole.samples > 0 ? whole : appended;
}

/** Converts estimated tokens of a part of the history into tokens of the current model. */
export function inModelTokens(state: State, estimated: number): TokenEstimate {
  return applyRatio(learntOf(state).appended, estimated);
}

/** Returns the estimated output tokens of an answer that the provider did not count. */
export function estimatedOutput(state: State, parts: readonly (Part | AnswerPart)[]): number {
  return inModelTokens(state, sizeOfParts(parts).tokens).tokens;
}

/** Returns the ratios learned from counted calls of the current model. */
export function learntOf({ ratios, epoch }: State): Learnt {
  return learntFor(ratios, epoch?.opened.model ?? '');
}

function estimatedWhole(state: State): NextInput {
  const { history, epoch, counted } = state;
  const tail = historySize(history);
  if (epoch === undefined) return { bytes: tail.bytes };
  const front = frontSize(state);
  const { layers, tools, toolSize } = epoch.opened;
  // A layer whose size comes from a recording was already counted by the provider.
  const measured = isRecorded(epoch.opened)
    ? counted?.front
    : layers.reduce((sum, { sized, tokens }) => sum + (sized === 'recorded' ? tokens : 0), 0);
  const definitions = tools.length === 0 ? NO_SIZE : toolSize;
  const bytes = tail.bytes + front.bytes + (definitions?.bytes ?? 0);
  if (measured === undefined || definitions === undefined) return { bytes };
  return { bytes, tokens: { measured, appended: front.tokens - measured + definitions.tokens + tail.tokens } };
}

/**
 * Checks if an epoch comes from an imported session. Such an epoch has no layers, because its texts were not recorded.
 */
export function isRecorded({ layers }: Pick<EpochOpened, 'layers'>): boolean {
  return layers.length === 0;
}

/** Assumed bytes per token of a front whose text was not recorded. */
const TOKEN_BYTES = 4;

/**
 * Returns the size of the texts before the history. For an imported session, the size is the first count without the
 * part for the history. This size includes the tools.
 */
export function frontSize({ epoch, counted }: State): SpanSize {
  if (epoch === undefined || !isRecorded(epoch.opened)) {
    return (epoch?.opened.layers ?? []).reduce((sum, one) => addSizes(sum, one), NO_SIZE);
  }
  const tokens = counted?.front ?? 0;
  return { tokens, bytes: tokens * TOKEN_BYTES };
}

/** Returns the size of the whole history, both packed and waiting to be packed. */
export function historySize(history: History): SpanSize {
  return sizeSince(history, 0, undefined);
}

/**
 * Returns the size of all content that waits to be packed, plus the size of the packed spans. Only packed spans with
 * the ordinal `spans` or higher are included. The answer at the position `answered` is excluded.
 */
function sizeSince(history: History, spans: number, answered: number | undefined): SpanSize {
  let size = waitingSize(history);
  for (let index = history.packed.length - 1; index >= 0; index -= 1) {
    const span = itemAt(history.packed, index);
    if (span === undefined || span.ordinal < spans) break;
    if (!isFrom(span, answered)) size = addSizes(size, sizeOfSpan(span));
  }
  return size;
}

/** Returns the size of the content that waits to be packed. */
export function waitingSize({ batch, notes, prompts, changes }: History): SpanSize {
  const closings = batch === undefined ? [] : [...batch.closed.values()].flatMap(({ content }) => content);
  const waiting = [...notes, ...prompts].flatMap(({ parts }) => parts);
  return sizeOfParts([...closings, ...waiting, ...changes.map(({ part }) => part)]);
}

/**
 * Returns the size of the last accepted request's answer. The answer is packed, or it still has open calls. Returns an
 * empty size if the answer is not packed.
 */
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

/** Number of turns in the median. With three, a single long or short turn has no effect. */
const TURNS = 3;

/**
 * Returns the expected growth of a turn in tokens on the model's scale. It is the median of the last three turns that
 * are completely packed. The open turn is not included. Returns `undefined` if no such turn is packed. The running time
 * is proportional to the length of these turns.
 */
export function turnGrowth(state: State): number | undefined {
  const added = lastTurns(state).toSorted((a, b) => a - b);
  const median = added[Math.floor((added.length - 1) / 2)];
  return median === undefined ? undefined : inModelTokens(state, median).tokens;
}

/**
 * Returns the estimated tokens of the last `TURNS` turns before the open turn, newest first. If the checkpoint covers a
 * part of a turn, the whole turn is left out.
 */
function lastTurns({ turns, history: { packed, lead }, compacted }: State): readonly number[] {
  const covered = compacted?.data.range.to ?? -1;
  const added: number[] = [];
  let index = packed.length - 1;
  for (let turn = turns.length - 1; turn >= 0 && added.length <= TURNS; turn -= 1) {
    const start = itemAt(turns, turn) ?? -1;
    // The checkpoint covers at least a part of this turn and all turns before it, so they are not measured.
    if (start <= covered) break;
    let tokens = 0;
    for (; index >= lead; index -= 1) {
      const span = itemAt(packed, index);
      if (span === undefined || span.group < start) break;
      tokens += sizeOfSpan(span).tokens;
    }
    added.push(tokens);
  }
  // The first entry is the open turn, which so far contains only its prompt.
  return added.slice(1);
}
