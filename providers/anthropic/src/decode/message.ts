// A whole message, as a call without streaming answers (or a proxy that does not stream). Read from its text, so that
// arguments and items stay as they were sent.

import { rawElements, rawMember } from '@tidemark/core';
import type { Answer, AnswerPart } from '@tidemark/model';
import { parseJson } from '@tidemark/model';
import type { AnswerDecoder } from '@tidemark/provider-wire';
import { malformed, wholeAsStream } from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';
import { closeBlock, decodeDiagnosis, decodeStop, openBlock } from './answer.ts';
import type { WholeMessage } from './events.ts';
import { readCount, readMessage } from './events.ts';
import { decodeEvent, NOTHING, requireFinished } from './stream.ts';
import { decodeUsage } from './usage.ts';

/** Reads the answers of the Messages API, streamed and whole. */
export const messageDecoder: AnswerDecoder = {
  begin() {
    let arrived = NOTHING;
    return {
      finished: () => arrived.finished,
      take(data) {
        const step = decodeEvent(arrived, data);
        arrived = step.arrived;
        return step.says;
      },
      end() {
        requireFinished(arrived);
        return [];
      },
    };
  },
  whole(text) {
    const answer = decodeMessage(text);
    return wholeAsStream(answer, answer.usage);
  },
};

/**
 * The answer in the text of a message.
 *
 * @throws ProviderError `provider/malformed` when it is no message.
 */
export function decodeMessage(text: string): Answer {
  const message = read(text);
  const raws = rawElements(rawMember(text, 'content') ?? '[]');
  const { id, model } = message;
  return {
    parts: message.content.map((block, index) => withRaw(closeBlock(openBlock(block)), raws[index])),
    ...decodeStop(message.stop_reason),
    ...(typeof id === 'string' && { response: id }),
    ...(typeof model === 'string' && { model }),
    usage: decodeUsage(message.usage ?? {}),
    ...decodeDiagnosis(message.diagnostics),
  };
}

function withRaw(part: AnswerPart, raw: string | undefined): AnswerPart {
  if (raw === undefined) return part;
  switch (part.type) {
    case 'text':
      return part;
    case 'reasoning':
      return { ...part, opaque: raw };
    case 'call':
      return { ...part, arguments: rawMember(raw, 'input') ?? part.arguments };
    case 'native':
      return { ...part, item: raw };
  }
}

function read(text: string): WholeMessage {
  try {
    const value = parseJson(text);
    return readMessage(value);
  } catch (cause) {
    throw malformed(ANTHROPIC, 'an answer that is no message', cause);
  }
}

/**
 * The tokens in the text of a count.
 *
 * @throws ProviderError `provider/malformed` when it is none.
 */
export function decodeCount(text: string): number {
  try {
    const value = parseJson(text);
    return readCount(value);
  } catch (cause) {
    throw malformed(ANTHROPIC, 'an answer that is no count', cause);
  }
}
