// Limits on what a server may send. They protect memory, disk and time from a server that is broken or hostile; no answer of a
// real provider comes near them.

import type { ProviderErrorCode } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import type { Service } from './service.ts';

/** Most bytes of the body of an error response that are read. */
export const ERROR_BYTES: number = 64 * 1024;

/** Most parts of one answer: texts, reasoning, calls and native items together. */
export const MOST_PARTS = 1_024;

/** Most characters of the id of a call: some gateways keep a signature of thousands of characters in it. */
export const LONGEST_ID: number = 64 * 1024;

/** Most characters of the name of a called tool. No provider takes a definition with more than 128. */
export const LONGEST_NAME = 4_096;

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
