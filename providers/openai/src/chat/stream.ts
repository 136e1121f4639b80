// Turns chunks of Chat Completions into stream parts. When the finish reason arrives, the parts of the answer are
// complete. The usage arrives after the finish reason. So the answer ends only with `[DONE]` or with the end of the
// stream.

import { defined } from '@tidemark/core';
import type { Answer, AnswerPart, ProviderError, StopReason, StreamPart, Ttl, Usage } from '@tidemark/model';
import type { AnswerDecoder, Decoding, Service } from '@tidemark/provider-wire';
import { cut, malformed, parseJson, readAs, requireFewParts, wholeAsStream } from '@tidemark/provider-wire';
import { sortFailure } from '../decode/failure.ts';
import { decodeUsage } from '../decode/usage.ts';
import { billsWrites } from '../model-generation.ts';
import type { ChatMessage, ChatUsage, WireCall, WireCompletion } from './events.ts';
import { reasoningItem } from './dialect.ts';
import { readCompletion } from './events.ts';
import type { GrowingCall } from './grow-call.ts';
import { beginCall, callIndex, growCall } from './grow-call.ts';

/** Facts about a call that are known before its answer is decoded. */
export interface AnswerReading {
  readonly service: Service;
  /**
   * Lifetime of all markers in the request. Missing if the request has no markers, or if its markers have different
   * lifetimes.
   */
  readonly asked?: Ttl;
  /** True if the service gets its reasoning back. Then each reasoning part has an opaque item. */
  readonly keepsReasoning?: true;
  /** True for a service that may send no finish reason. The end of its answer is then `[DONE]` or the end of the body. */
  readonly mayOmitReason?: true;
}

interface ChatStreamState {
  readonly began: boolean;
  readonly response?: string;
  readonly model?: string;
  readonly parts: readonly Growing[];
  readonly refused: boolean;
  readonly stop?: string;
  readonly usage?: ChatUsage;
  readonly finished: boolean;
}

interface ChatStreamStep {
  readonly arrived: ChatStreamState;
  readonly says: readonly StreamPart[];
}

const DONE = '[DONE]';
const NOTHING: ChatStreamState = { began: false, parts: [], refused: false, finished: false };

/** Returns a decoder for Chat Completions, streamed or whole. */
export function completionDecoder(reading: AnswerReading): AnswerDecoder {
  return { begin: () => beginCompletion(reading), whole: (text) => wholeAsStream(decodeCompletion(reading, text)) };
}

/** Begins to decode one streamed answer. */
export function beginCompletion(reading: AnswerReading): Decoding {
  let arrived = NOTHING;
  const step = (next: ChatStreamStep): readonly StreamPart[] => {
    arrived = next.arrived;
    return next.says;
  };
  return {
    finished: () => arrived.finished,
    hasAllParts: () => arrived.stop !== undefined,
    take: (data) => {
      if (arrived.finished) return [];
      return step(
        data.trim() === DONE ? finish(reading, arrived, true) : take(reading, arrived, readChunk(reading, data)),
      );
    },
    end: () => (arrived.finished ? [] : step(finish(reading, arrived, false))),
  };
}

/**
 * Decodes the text of a whole completion to an answer.
 *
 * @throws ProviderError `provider/malformed` when the text is not a completion, or the error that the text describes.
 */
export function decodeCompletion(reading: AnswerReading, text: string): Answer {
  const { service } = reading;
  const completion = readChunk(reading, text);
  if (completion.error) throw failureOf(service, completion.error);
  if (completion.choices?.[0]?.message === undefined) throw malformed(service, 'an answer that is not a completion');
  const finished = finish(reading, take(reading, NOTHING, completion).arrived, true).says.at(-1);
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
  const usage = chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage;
  const arrived = {
    ...begun.arrived,
    parts,
    refused: begun.arrived.refused || Boolean(message.refusal),
    ...(usage && { usage }),
    // Some servers send an empty finish reason in each chunk.
    ...(stop && { stop }),
  };
  return { arrived, says: [...begun.says, ...says] };
}

function began(arrived: ChatStreamState, { id, model }: WireCompletion): ChatStreamStep {
  if (arrived.began) return { arrived, says: [] };
  const named = { ...(typeof id === 'string' && { response: id }), ...(typeof model === 'string' && { model }) };
  return { arrived: { ...arrived, ...named, began: true }, says: [{ type: 'began', ...named, usage: {} }] };
}

/**
 * Finishes an answer. An answer without a finish reason is accepted as whole under three conditions: the service may
 * omit the reason, the answer has content, and `isEnd` is true. `isEnd` is true if the server sent `[DONE]` or a whole
 * body.
 */
function finish(reading: AnswerReading, arrived: ChatStreamState, isEnd: boolean): ChatStreamStep {
  const { service, asked, mayOmitReason } = reading;
  const { response, model, stop, refused, usage = {} } = arrived;
  const isWhole = mayOmitReason === true && isEnd && arrived.parts.length > 0;
  if (stop === undefined && !isWhole) throw cut(service);
  requireFinished(service, stop);
  const parts = arrived.parts.map((part) => partOf(part, reading));
  const named = defined({ response, model });
  const answer: Answer = { parts, ...stopOf(stop, parts, refused), ...named, usage: usageOf(usage, model, asked) };
  const whole = parts.map((part, index): StreamPart => ({ type: 'part', index, part }));
  return { arrived: { ...arrived, finished: true }, says: [...whole, { type: 'finished', answer }] };
}

/** A part that is not complete. */
type Growing = { readonly type: 'text' | 'reasoning'; readonly text: string } | GrowingCall;

interface Grown {
  readonly parts: readonly Growing[];
  readonly says: readonly StreamPart[];
}

/** A call without an id gets an id made of `response` and the index of its part. */
function growMessage(parts: readonly Growing[], message: ChatMessage, response: string): Grown {
  const { content } = message;
  const list = typeof content === 'object' && content !== null ? content : undefined;
  const reasoning = message.reasoning_content || message.reasoning || list?.reasoning;
  const thought = growText({ parts, says: [] }, 'reasoning', reasoning);
  const said = growText(thought, 'text', (typeof content === 'string' ? content : list?.text) || message.refusal);
  return (message.tool_calls ?? []).reduce((grown, call) => addCall(grown, call, response), said);
}

/** Without an opaque item, reasoning is only shown to the user. It is never sent again. */
function partOf(growing: Growing, { keepsReasoning }: AnswerReading): AnswerPart {
  if (growing.type === 'reasoning' && keepsReasoning) return { ...growing, opaque: reasoningItem(growing.text) };
  if (growing.type !== 'call') return growing;
  const { type, call, name } = growing;
  return { type, call, name, arguments: growing.arguments };
}

function growText({ parts, says }: Grown, type: 'text' | 'reasoning', more: string | null | undefined): Grown {
  if (more === null || more === undefined || more === '') return { parts, says };
  const found = parts.findIndex((part) => part.type === type);
  const index = found === -1 ? parts.length : found;
  const before = parts[index];
  const text = (before !== undefined && before.type !== 'call' ? before.text : '') + more;
  const delta: StreamPart = { type: type === 'text' ? 'text.delta' : 'reasoning.delta', index, text: more };
  return { parts: placePart(parts, index, { type, text }), says: [...says, delta] };
}

function addCall({ parts, says }: Grown, piece: WireCall, response: string): Grown {
  const index = callIndex(parts, piece);
  const found = parts[index];
  const before = found?.type === 'call' ? found : beginCall(parts, piece, index, response);
  const call = growCall(before, piece);
  return { parts: placePart(parts, index, call), says: [...says, ...saidOf(index, before, call)] };
}

/** Returns the stream parts for a call that has grown. A call has no stream part before its name is known. */
function saidOf(
  index: number,
  before: GrowingCall,
  { call, name, arguments: all }: GrowingCall,
): readonly StreamPart[] {
  if (name === '') return [];
  const announced = before.name !== '';
  const more =
    announced && all.startsWith(before.arguments) ? all.slice(before.arguments.length) : announced ? '' : all;
  const delta: readonly StreamPart[] = more === '' ? [] : [{ type: 'call.delta', index, arguments: more }];
  return announced ? delta : [{ type: 'call.began', index, call, name }, ...delta];
}

function placePart(parts: readonly Growing[], index: number, part: Growing): readonly Growing[] {
  return index === parts.length ? [...parts, part] : parts.with(index, part);
}

interface ChatStop {
  readonly stop: StopReason;
  readonly truncated: Answer['truncated'];
}

const END: ChatStop = { stop: 'end', truncated: 'no' };
const CALLS: ChatStop = { stop: 'calls', truncated: 'no' };
const LENGTH: ChatStop = { stop: 'length', truncated: 'yes' };
const REFUSAL: ChatStop = { stop: 'refusal', truncated: 'unknown' };

/** Meaning of the finish reasons of OpenAI, and of the reasons that other servers have added, in lower case. */
const STOPS: ReadonlyMap<string, ChatStop> = new Map([
  ['stop', END],
  ['eos', END],
  ['eos_token', END],
  ['stop_sequence', END],
  ['end_turn', END],
  ['tool_calls', CALLS],
  ['tool_use', CALLS],
  ['function_call', CALLS],
  ['length', LENGTH],
  ['max_tokens', LENGTH],
  ['model_length', LENGTH],
  ['model_context_window_exceeded', LENGTH],
  ['content_filter', REFUSAL],
  ['sensitive', REFUSAL],
]);

/**
 * Finish reasons of an answer that the server could not finish: of OpenRouter and Mistral (`error`), vLLM and SGLang
 * (`abort`), DeepSeek, and Z.ai (`network_error`).
 */
const FAILED: ReadonlySet<string> = new Set(['error', 'abort', 'insufficient_system_resource', 'network_error']);

/** @throws ProviderError `provider/server` if the server could not finish the answer. */
function requireFinished(service: Service, stop: string | undefined): void {
  if (stop === undefined || !FAILED.has(stop.toLowerCase())) return;
  throw sortFailure(service, { message: `the answer ended early, with the finish reason "${stop}"`, type: stop });
}

/**
 * Translates the server's finish reason. If an answer has calls, some servers still send `stop`. Such an answer is
 * reported as `calls`. If there is no finish reason, it is not known if the answer was cut.
 */
function stopOf(
  raw: string | undefined,
  parts: readonly AnswerPart[],
  refused: boolean,
): Pick<Answer, 'stop' | 'truncated' | 'stopRaw'> {
  if (raw === undefined) {
    const { stop } = stopOf('stop', parts, refused);
    return { stop, truncated: 'unknown' };
  }
  const known = STOPS.get(raw.toLowerCase()) ?? { stop: 'other', truncated: 'unknown' };
  if (known.stop !== 'end') return { ...known, stopRaw: raw };
  if (refused) return { ...known, stop: 'refusal', stopRaw: raw };
  return { ...known, stop: parts.some(({ type }) => type === 'call') ? 'calls' : 'end', stopRaw: raw };
}

/**
 * Returns the usage of a completion in parts that do not overlap. Some OpenAI models bill cache writes. In this API,
 * the writes of these models have one lifetime, 30 minutes. For any other model, the lifetime of written tokens is
 * `asked`, if it is known.
 */
export function usageOf(usage: ChatUsage, model: string | undefined, asked: Ttl | undefined): Usage {
  const counts = {
    input: usage.prompt_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
    written: usage.prompt_tokens_details?.cache_write_tokens,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  };
  return decodeUsage(counts, { model, ttl: billsWrites(model ?? '') === true ? '30m' : asked });
}

/**
 * Returns the error for a chunk or a body with an `error` field. A numeric code is read as a status, because routers
 * send statuses there.
 */
function failureOf(service: Service, error: NonNullable<WireCompletion['error']>): ProviderError {
  const { code, type, message } = error;
  return sortFailure(service, {
    message: message ?? 'an error without a message',
    ...(typeof code === 'number' && { status: code }),
    ...(typeof code === 'string' && { code }),
    ...(typeof type === 'string' && { type }),
  });
}
