// The input of the next request before anybody counted it: what the last usage told, and the estimate of all that was
// appended since. Where an edit or another model makes that usage useless, everything is estimated.

import type { SizeForecast } from '@tidemark/log';
import type { Span } from '@tidemark/model';
import { itemAt } from './append-only.ts';
import type { Learnt, Ratio, TokenEstimate } from './ratio.ts';
import { applyRatio, NOTHING_LEARNT } from './ratio.ts';
import type { Size } from './span-size.ts';
import { addSizes, NO_SIZE, sizeOfParts, sizeOfSpan } from './span-size.ts';
import type { Accepted, History, State } from './state.ts';

/** See the head of this file. */
export interface NextInput {
  /** Absent where they are unknown: nobody counted the last request, or the log does not tell how large its tools are. */
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
export function standing({ streams, epoch }: State): Accepted | undefined {
  const accepted = streams['main']?.accepted;
  if (accepted === undefined || epoch === undefined) return undefined;
  return accepted.position > epoch.edited && accepted.model === epoch.opened.model ? accepted : undefined;
}

/** What the next request will hold. The cost follows what was appended since the last accepted one. */
export function nextInput(state: State): NextInput {
  const accepted = standing(state);
  if (accepted === undefined) return estimatedWhole(state);
  const { input, answer, prepared, spans } = accepted;
  const since = sizeSince(state.history, spans, answer?.position);
  const said = answer === undefined ? NO_SIZE : answerSize(state.history, answer.position);
  const bytes = prepared.bytes + said.bytes + since.bytes;
  if (input === undefined) return { bytes };
  const counted = answer?.tokens ?? 0;
  return { bytes, tokens: { measured: input + counted, appended: since.tokens + uncounted(said.tokens, counted) } };
}

/** What of an answer nobody counted: all of it, or what a usage that was told before its end cannot hold. */
function uncounted(said: number, counted: number): number {
  return 2 * counted < said ? said - counted : 0;
}

/** The estimate of the next request's input as its record says it; `undefined` where it is unknown. */
export function sizeForecast(state: State, { tokens }: NextInput): SizeForecast | undefined {
  if (tokens === undefined) return undefined;
  const { tokens: scaled, error } = applyRatio(ratioFor(state, tokens), tokens.appended);
  return { ...tokens, input: tokens.measured + scaled, ...(error === undefined ? {} : { error }) };
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

/** What measured calls taught of the model in force. */
export function learntOf({ ratios, epoch }: State): Learnt {
  return ratios[epoch?.opened.model ?? ''] ?? NOTHING_LEARNT;
}

function estimatedWhole({ history, epoch }: State): NextInput {
  const tail = sizeSince(history, 0, undefined);
  if (epoch === undefined) return { bytes: tail.bytes };
  const { layers } = epoch.opened;
  const bytes = tail.bytes + layers.reduce((sum, one) => sum + one.bytes, 0);
  const tools = toolsOf(epoch.opened);
  if (tools === undefined) return { bytes };
  // A layer whose size a recording tells was counted by the provider already.
  const measured = layers.reduce((sum, { sized, tokens }) => sum + (sized === 'recorded' ? tokens : 0), 0);
  const texts = layers.reduce((sum, { tokens }) => sum + tokens, 0) - measured;
  return { bytes: bytes + tools.bytes, tokens: { measured, appended: texts + tools.tokens + tail.tokens } };
}

/** A front has a text at least: an epoch without any was recorded elsewhere, and its front is not known. */
function toolsOf({ layers, tools, toolSize }: NonNullable<State['epoch']>['opened']): Size | undefined {
  if (layers.length === 0) return undefined;
  return tools.length === 0 ? NO_SIZE : toolSize;
}

/** All that is packed, or waits to be, behind so many spans; without the answer that was counted. */
function sizeSince(history: History, spans: number, answered: number | undefined): Size {
  let size = waitingSize(history);
  for (let index = history.packed.length - 1; index >= 0; index -= 1) {
    const span = itemAt(history.packed, index);
    if (span === undefined || span.ordinal < spans) break;
    if (!isFrom(span, answered)) size = addSizes(size, sizeOfSpan(span));
  }
  return size;
}

/** What waits for its place behind what is packed. */
export function waitingSize({ batch, notes, prompts, changes }: History): Size {
  const closings = batch === undefined ? [] : [...batch.closed.values()].flatMap(({ content }) => content);
  const said = [...notes, ...prompts].flatMap(({ parts }) => parts);
  return sizeOfParts([...closings, ...said, ...changes.map(({ part }) => part)]);
}

/** The answer of the last accepted request, packed or with its calls still open. */
function answerSize({ batch, packed }: History, position: number): Size {
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
