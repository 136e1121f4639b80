// How much of an output stands in the context: a limit for each result, smaller where the window is, and a share of what
// is left of it for the calls that are still open (ten parallel reads of 50 KiB would fill a window of 200,000 tokens).

import type { State } from '@tidemark/context';
import { budgetsOf, estimateImageTokens, estimateTokens, inputLimitOf, slice } from '@tidemark/context';
import type { Capabilities, Part } from '@tidemark/model';
import { graphemeAt } from '@tidemark/model';

/** Most that is shown of one output, notices included. */
export interface OutputLimits {
  readonly bytes: number;
  readonly lines: number;
}

/** Most bytes of any result. */
export const LARGEST_RESULT = 51_200;

const MOST_LINES = 2_000;
const LEAST = { bytes: 8_192, lines: 200 } as const;
/** From a window of so many tokens on, the limits are whole. */
const WHOLE_WINDOW = 128_000;
/** What a call may always show. */
const LEAST_SHARE = 2_048;
/** Prose and code have more. Hex and base64 have less: the share of those that land later is then smaller. */
const BYTES_PER_TOKEN = 2;
/** A recorded session counted 1.27 times our estimate (see `estimateTokens`). */
const UNDERESTIMATE = 1.3;
/** One definition of a tool that was added in the history. */
const TOOL_TOKENS = 400;

/** The limit of one result on this model. */
export function resultLimits({ inputLimit }: Pick<Capabilities, 'inputLimit'>): OutputLimits {
  const share = Math.min(1, inputLimit / WHOLE_WINDOW);
  return {
    bytes: Math.max(LEAST.bytes, Math.floor(LARGEST_RESULT * share)),
    lines: Math.max(LEAST.lines, Math.floor(MOST_LINES * share)),
  };
}

/** Bytes for each of the calls that are open, so that all of them fit the headroom; never below 2 KiB. */
export function batchShare(headroom: number, callsOpen: number): number {
  const tokens = Math.max(0, headroom) / Math.max(1, callsOpen);
  return Math.max(LEAST_SHARE, Math.floor(tokens * BYTES_PER_TOKEN));
}

/** What may be shown of a call that lands now, with this one `callsOpen` of its batch. An unknown headroom limits nothing. */
export function limitsAt(state: State, capabilities: Capabilities, callsOpen: number): OutputLimits {
  const { bytes, lines } = resultLimits(capabilities);
  const headroom = headroomOf(state, capabilities);
  return { lines, bytes: headroom === undefined ? bytes : Math.min(bytes, batchShare(headroom, callsOpen)) };
}

/**
 * Tokens until the limit that a plan must fit (`hard`): from the measured input of the last accepted request, and the
 * estimate of what came since. `undefined` when no request was measured, or no limit is known; below 0 when it is passed.
 */
export function headroomOf(state: State, capabilities: Capabilities): number | undefined {
  const accepted = state.streams['main']?.accepted;
  if (accepted?.input === undefined) return undefined;
  const limit = inputLimitOf(capabilities, accepted.prepared.outputLimit);
  return limit && budgetsOf(limit).hard - accepted.input - Math.ceil(cameSince(state, accepted.spans));
}

/** Tokens of what is packed since, of the open batch, and of what waits behind it. */
function cameSince({ history }: State, spans: number): number {
  const { packed, settled, batch, notes, prompts } = history;
  const unsent = Math.min(packed.length, Math.max(0, settled - spans));
  const waiting = [...notes, ...prompts].flatMap(({ parts }) => parts);
  const landed = [...(batch?.closed.values() ?? [])].flatMap(({ content }) => content);
  const parts = [...slice(packed, packed.length - unsent).flatMap((span) => span.parts), ...landed, ...waiting];
  return (batch === undefined ? 0 : answerTokens(batch.answer)) + estimateParts(parts);
}

/** Measured where the provider told, else estimated. */
function answerTokens({ usage, parts }: NonNullable<State['history']['batch']>['answer']): number {
  if (usage.answer !== undefined) return usage.answer + (usage.reasoning ?? 0);
  return (
    UNDERESTIMATE * estimateTokens(parts.map((part) => (part.type === 'call' ? part.arguments : part.text)).join(''))
  );
}

function estimateParts(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + estimatePart(part), 0);
}

function estimatePart(part: Part): number {
  switch (part.type) {
    case 'image':
      return estimateImageTokens(part.width, part.height, part.bytes);
    case 'result':
      return estimateParts(part.content);
    case 'call':
      return UNDERESTIMATE * estimateTokens(part.arguments);
    case 'text':
      return UNDERESTIMATE * estimateTokens(part.text);
    case 'reasoning':
      return UNDERESTIMATE * estimateTokens(part.opaque ?? part.text);
    case 'native':
      return UNDERESTIMATE * estimateTokens(part.item);
    case 'change':
      // The definition's bytes are elsewhere: a tool is as long as a tool is.
      if (part.change === 'role') return UNDERESTIMATE * estimateTokens(part.text);
      return part.change === 'tools' ? part.added.length * TOOL_TOKENS : 0;
  }
}

// Where a text is cut: between lines; inside a line only where that line alone is more than may be shown, and then
// between graphemes. Pure.

/** The part that is kept, and what it is counted in. */
interface TextPiece {
  readonly text: string;
  /** `lines`: they are whole. */
  readonly unit: 'lines' | 'bytes';
}

/** The longest beginning within the limits. */
export function headOf(text: string, limits: OutputLimits): TextPiece {
  let end = 0;
  let bytes = 0;
  for (let lines = 0; lines < limits.lines && end < text.length; lines += 1) {
    const newline = text.indexOf('\n', end);
    const next = newline === -1 ? text.length : newline + 1;
    const size = Buffer.byteLength(text.slice(end, next));
    if (bytes + size > limits.bytes) {
      if (size <= limits.bytes) break;
      return { text: text.slice(0, beginning(text, end, limits.bytes - bytes)), unit: 'bytes' };
    }
    bytes += size;
    end = next;
  }
  return { text: text.slice(0, end), unit: 'lines' };
}

/** The longest end within the limits. */
export function tailOf(text: string, limits: OutputLimits): TextPiece {
  let start = text.length;
  let bytes = 0;
  for (let lines = 0; lines < limits.lines && start > 0; lines += 1) {
    const next = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    const size = Buffer.byteLength(text.slice(next, start));
    if (bytes + size > limits.bytes) {
      if (size <= limits.bytes) break;
      return { text: text.slice(ending(text, start, limits.bytes - bytes)), unit: 'bytes' };
    }
    bytes += size;
    start = next;
  }
  return { text: text.slice(start), unit: 'lines' };
}

/** The last place behind `from` with no more than so many bytes between, where no grapheme is halved. */
function beginning(text: string, from: number, bytes: number): number {
  let at = from;
  for (let room = bytes; at < text.length;) {
    room -= sizeAt(text, at);
    if (room < 0) break;
    at += unitsAt(text, at);
  }
  return Math.max(from, graphemeAt(text, at)?.index ?? at);
}

/** The first place before `to` with no more than so many bytes between, where no grapheme is halved. */
function ending(text: string, to: number, bytes: number): number {
  let at = to;
  for (let room = bytes; at > 0;) {
    const before = at - (isLow(text.charCodeAt(at - 1)) ? 2 : 1);
    room -= sizeAt(text, before);
    if (room < 0) break;
    at = before;
  }
  const cut = graphemeAt(text, at);
  return Math.min(to, cut === undefined || cut.index === at ? at : cut.index + cut.segment.length);
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function sizeAt(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code <= 0xffff ? 3 : 4;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
