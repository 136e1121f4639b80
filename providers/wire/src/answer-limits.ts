// Limits on the data that a server may send, and the meter that counts an answer. They protect memory, disk and time
// from a broken or hostile server. No answer of a real provider comes near these limits.

import type { AnswerPart, ProviderErrorCode, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { Service } from './service.ts';

/** Maximum number of bytes that are read from the body of an error response. */
export const ERROR_BYTES: number = 64 * 1024;

/** Maximum number of parts in one answer: texts, reasoning, calls and native items together. */
const MAX_PARTS = 1_024;

/**
 * Maximum number of characters in the id of a call. The limit is high because some gateways store a signature of
 * thousands of characters in the id.
 */
const LONGEST_ID: number = 64 * 1024;

/**
 * Maximum number of characters in the name of a called tool. No provider accepts a definition with a name above 128
 * characters.
 */
const LONGEST_NAME = 4_096;

const MIB = 1024 * 1024;
/** Output limit, in tokens, assumed for a call without an output limit. */
const USUAL_OUTPUT = 128_000;

/** Limits on one answer. They grow with the output limit of the request. */
export interface AnswerLimits {
  /**
   * Maximum number of bytes of the whole body after decompression: 16 MiB and 1,024 bytes per token. A server that
   * sends an event of usual size for each token stays below this limit.
   */
  readonly answerBytes: number;
  /** Maximum number of bytes of one event, of one WebSocket frame, and of an answer that is not a stream. */
  readonly eventBytes: number;
  /**
   * Maximum number of events in a stream: 65,536 and 4 per token. The fixed part is for comments that a server sends
   * while the model thinks.
   */
  readonly events: number;
  /**
   * Maximum number of characters that are kept of the answer: 4 MiB and 32 per token. A token has about 4 characters.
   * The rest is for items of the provider's own tools.
   */
  readonly characters: number;
}

/**
 * Returns the limits for an answer of at most `outputLimit` tokens. An `outputLimit` above 1,000,000 counts as
 * 1,000,000.
 */
export function answerLimits(outputLimit: number = USUAL_OUTPUT): AnswerLimits {
  const tokens = Math.min(Math.max(0, outputLimit), 1_000_000);
  return {
    answerBytes: 16 * MIB + 1_024 * tokens,
    eventBytes: 4 * MIB + 64 * tokens,
    events: 65_536 + 4 * tokens,
    characters: 4 * MIB + 32 * tokens,
  };
}

/**
 * Returns the error for a server that sends more data than a limit allows. The call is not retried, because the same
 * server would do it again.
 */
export function oversized({ name, title }: Service, what: string): ProviderError {
  const message = `${title} sent more data than is accepted: ${what}. The call was stopped`;
  const code: ProviderErrorCode = 'provider/oversized';
  return new ProviderError('refused', code, message, { provider: name, next: 'check the address of the provider' });
}

/**
 * Checks the number of parts of an answer.
 *
 * @throws ProviderError `provider/oversized` when an answer has more than `MAX_PARTS` parts.
 */
export function requireFewParts(service: Service, parts: number): void {
  if (parts > MAX_PARTS) throw oversized(service, `an answer of more than ${MAX_PARTS} parts`);
}

/**
 * Counts the parts of one answer and returns them unchanged.
 *
 * @throws ProviderError `provider/oversized` when one of the given parts exceeds a limit. In this case no part is
 *   returned.
 */
export type PartMeter = (parts: readonly StreamPart[]) => readonly StreamPart[];

/**
 * Creates a meter for one answer. Most parts arrive twice: first as deltas and then as a whole part. So deltas and
 * whole parts are counted separately, and the larger sum is compared with the limit.
 */
export function createPartMeter(service: Service, { characters }: AnswerLimits): PartMeter {
  let streamed = 0;
  let whole = 0;
  const count = (part: StreamPart): void => {
    if (part.type === 'part') whole += sizeOf(part.part);
    else if (part.type !== 'finished') streamed += growthOf(part);
    if (Math.max(streamed, whole) > characters)
      throw oversized(service, `an answer of more than ${characters} characters`);
    if ('index' in part) requireFewParts(service, part.index + 1);
    if (part.type === 'call.began') requireShortCall(service, part);
    if (part.type === 'part' && part.part.type === 'call') requireShortCall(service, part.part);
  };
  return (parts) => {
    for (const part of parts) count(part);
    return parts;
  };
}

function requireShortCall(service: Service, { call, name }: { readonly call: string; readonly name: string }): void {
  if (call.length > LONGEST_ID) throw oversized(service, `a call with an id of more than ${LONGEST_ID} characters`);
  if (name.length > LONGEST_NAME)
    throw oversized(service, `a call with a tool name of more than ${LONGEST_NAME} characters`);
}

function growthOf(part: Exclude<StreamPart, { readonly type: 'part' | 'finished' }>): number {
  switch (part.type) {
    case 'began':
      return (part.response?.length ?? 0) + (part.model?.length ?? 0);
    case 'text.delta':
    case 'reasoning.delta':
      return part.text.length;
    case 'call.began':
      return part.call.length + part.name.length;
    case 'call.delta':
      return part.arguments.length;
  }
}

function sizeOf(part: AnswerPart): number {
  switch (part.type) {
    case 'text':
      return part.text.length;
    case 'reasoning':
      return part.text.length + (part.opaque?.length ?? 0);
    case 'call':
      return part.call.length + part.name.length + part.arguments.length;
    case 'native':
      return part.text.length + part.item.length;
  }
}

/**
 * Largest token count that is accepted, far above any context window. A larger number is invalid and counts as unknown.
 */
export const MAX_TOKENS = 1_000_000_000;
