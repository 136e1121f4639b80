// A whole response, as a call without streaming answers. Read from its text, so that items stay as they were sent.

import type { Answer } from '@tidemark/model';
import { rawElements, rawMember } from '@tidemark/core';
import { malformed, parseJson, readAs } from '@tidemark/provider-wire';
import { answerOf, failureOf } from './ending.ts';
import { readCount, readResponse } from './events.ts';
import { isRefusal, partOf } from './part.ts';
import { OPENAI } from '../service.ts';

/**
 * The answer in the text of a response.
 *
 * @throws ProviderError `provider/malformed` when it is none, or what a failed one says.
 */
export function decodeResponse(text: string): Answer {
  const value = parseJson(OPENAI, text);
  const response = readAs(OPENAI, 'an answer', () => readResponse(value));
  if (response.status === 'failed') throw failureOf(response.error, { response: response.id });
  const { output } = response;
  if (output === undefined || output === null) throw malformed(OPENAI, 'an answer that is no response');
  const raws = rawElements(rawMember(text, 'output') ?? '[]');
  const parts = output.map((item, index) => partOf(item, raws[index] ?? JSON.stringify(item)));
  return answerOf(parts, response, output.some(isRefusal));
}

/** The tokens in the text of a count. @throws ProviderError `provider/malformed` when it is none. */
export function decodeCount(text: string): number {
  const value = parseJson(OPENAI, text);
  return readAs(OPENAI, 'a count', () => readCount(value));
}
