// Chunks of Chat Completions become stream parts. The answer is whole when a reason for its end has come; its usage comes
// behind that, so it is finished with `[DONE]` or with the end of the stream.

import type { Answer, StreamPart, Ttl } from '@tidemark/model';
import type { AnswerDecoder, Decoding, Service } from '@tidemark/provider-wire';
import { cut, malformed, parseJson, readAs, requireFewParts, wholeAsStream } from '@tidemark/provider-wire';
import { failureOf, stopOf, usageOf } from './ending.ts';
import type { WireCompletion, ChatMessage, ChatUsage } from './events.ts';
import { readCompletion } from './events.ts';
import type { Growing } from './growing.ts';
import { growMessage, partOf } from './growing.ts';

/** What is known of a call before its answer is read. */
export interface AnswerReading {
  readonly service: Service;
  /** The one lifetime that all markers of the request asked for, where it has any. */
  readonly asked?: Ttl;
}

/** What has arrived of one answer. */
interface ChatStreamState {
  readonly began: boolean;
  readonly response?: string;
  readonly model?: string;
  readonly parts: readonly Growing[];
  readonly refused: boolean;
  readonly stop?: string;
  readonly usage: ChatUsage;
  readonly finished: boolean;
}

interface ChatStreamStep {
  readonly arrived: ChatStreamState;
  readonly says: readonly StreamPart[];
}

const DONE = '[DONE]';
const NOTHING: ChatStreamState = { began: false, parts: [], refused: false, usage: {}, finished: false };

/** How Chat Completions are read. */
export function completionDecoder(reading: AnswerReading): AnswerDecoder {
  return { begin: () => beginCompletion(reading), whole: (text) => wholeAsStream(decodeCompletion(reading, text)) };
}

/** Begins to decode one answer. */
export function beginCompletion(reading: AnswerReading): Decoding {
  let arrived = NOTHING;
  const step = (next: ChatStreamStep): readonly StreamPart[] => {
    arrived = next.arrived;
    return next.says;
  };
  return {
    finished: () => arrived.finished,
    take: (data) => {
      if (arrived.finished) return [];
      return step(data.trim() === DONE ? finish(reading, arrived) : take(reading, arrived, readChunk(reading, data)));
    },
    end: () => (arrived.finished ? [] : step(finish(reading, arrived))),
  };
}

/**
 * The answer in the text of a whole completion.
 *
 * @throws ProviderError `provider/malformed` when it is none, or what it says of a failure.
 */
export function decodeCompletion(reading: AnswerReading, text: string): Answer {
  const { service } = reading;
  const completion = readChunk(reading, text);
  if (completion.error) throw failureOf(service, completion.error);
  if (completion.choices?.[0]?.message === undefined) throw malformed(service, 'an answer that is no completion');
  const finished = finish(reading, take(reading, NOTHING, completion).arrived).says.at(-1);
  if (finished?.type !== 'finished') throw cut(service);
  return finished.answer;
}

function readChunk({ service }: AnswerReading, data: string): WireCompletion {
  const value = parseJson(service, data);
  return readAs(service, 'a chunk', () => readCompletion(value));
}

function take({ service }: AnswerReading, before: ChatStreamState, chunk: WireCompletion): ChatStreamStep {
  if (chunk.error) throw failureOf(service, chunk.error);
  const begun = began(before, chunk);
  const choice = chunk.choices?.[0];
  const message: ChatMessage = choice?.delta ?? choice?.message ?? {};
  requireFewParts(service, begun.arrived.parts.length + (message.tool_calls?.length ?? 0));
  const { parts, says } = growMessage(begun.arrived.parts, message, begun.arrived.response ?? '');
  const stop = choice?.finish_reason;
  const arrived = {
    ...begun.arrived,
    parts,
    refused: begun.arrived.refused || Boolean(message.refusal),
    usage: chunk.usage ?? begun.arrived.usage,
    ...(typeof stop === 'string' && { stop }),
  };
  return { arrived, says: [...begun.says, ...says] };
}

function began(arrived: ChatStreamState, { id, model }: WireCompletion): ChatStreamStep {
  if (arrived.began) return { arrived, says: [] };
  const named = { ...(typeof id === 'string' && { response: id }), ...(typeof model === 'string' && { model }) };
  return { arrived: { ...arrived, ...named, began: true }, says: [{ type: 'began', ...named, usage: {} }] };
}

function finish({ service, asked }: AnswerReading, arrived: ChatStreamState): ChatStreamStep {
  const { response, model, stop, refused, usage } = arrived;
  if (stop === undefined) throw cut(service);
  const parts = arrived.parts.map(partOf);
  const named = { ...(response !== undefined && { response }), ...(model !== undefined && { model }) };
  const answer: Answer = { parts, ...stopOf(stop, parts, refused), ...named, usage: usageOf(usage, model, asked) };
  const whole = parts.map((part, index): StreamPart => ({ type: 'part', index, part }));
  return { arrived: { ...arrived, finished: true }, says: [...whole, { type: 'finished', answer }] };
}
