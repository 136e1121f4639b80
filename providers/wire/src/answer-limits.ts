// Limits on what a server may send, and the meter that counts an answer. They protect memory, disk and time from a server that is
// broken or hostile; no answer of a real provider comes near them.

import type { AnswerPart, ProviderErrorCode, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { Service } from './service.ts';

/** Most bytes of the body of an error response that are read. */
export const ERROR_BYTES: number = 64 * 1024;

/** Most parts of one answer: texts, reasoning, calls and native items together. */
const MOST_PARTS = 1_024;

/** Most characters of the id of a call: some gateways keep a signature of thousands of characters in it. */
const LONGEST_ID: number = 64 * 1024;

/** Most characters of the name of a called tool. No provider takes a definition with more than 128. */
const LONGEST_NAME = 4_096;

const MIB = 1024 * 1024;
/** The output limit that is assumed for a call that names none, in tokens. */
const USUAL_OUTPUT = 128_000;

/** Limits on one answer, which grow with its output limit. */
export interface AnswerLimits {
  /** Bytes of the whole body after decompression. Each token may come in an event of its own, with 1,000 bytes around it. */
  readonly answerBytes: number;
  /** Bytes of one event, of one WebSocket frame, and of an answer that does not come as a stream. */
  readonly eventBytes: number;
  /** Events of a stream: each token may come in some of its own, and a server that thinks sends comments. */
  readonly events: number;
  /** Characters that are kept of the answer. A token has about 4; the room beside them is for items of the provider's own tools. */
  readonly characters: number;
}

/** Returns the limits for an answer of at most `outputLimit` tokens. */
export function answerLimits(outputLimit: number = USUAL_OUTPUT): AnswerLimits {
  const tokens = Math.min(Math.max(0, outputLimit), 1_000_000);
  return {
    answerBytes: 16 * MIB + 1_024 * tokens,
    eventBytes: 4 * MIB + 64 * tokens,
    events: 65_536 + 4 * tokens,
    characters: 4 * MIB + 32 * tokens,
  };
}

/** Returns the error for a server that sends more than a limit allows. It is not retried: the same server would do it again. */
export function oversized({ name, title }: Service, what: string): ProviderError {
  const message = `${title} sent more than is accepted: ${what}. The call was stopped. Next: check the address of the provider`;
  const code: ProviderErrorCode = 'provider/oversized';
  return new ProviderError('refused', code, message, { provider: name });
}

/** @throws ProviderError `provider/oversized` when an answer has more than `MOST_PARTS` parts. */
export function requireFewParts(service: Service, parts: number): void {
  if (parts > MOST_PARTS) throw oversized(service, `an answer of more than ${MOST_PARTS} parts`);
}

/** Passes the parts of one answer on. @throws ProviderError `provider/oversized` before the first part beyond a limit. */
export type PartMeter = (parts: readonly StreamPart[]) => readonly StreamPart[];

/** Begins to count one answer. What was streamed and what is whole are counted apart, since most parts come both ways. */
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
    throw oversized(service, `a call of a tool with a name of more than ${LONGEST_NAME} characters`);
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

/** Largest count of tokens that is believed, far above any context window. A larger number is no count, and is unknown. */
export const MOST_TOKENS = 1_000_000_000;
