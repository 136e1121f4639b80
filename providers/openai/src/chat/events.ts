// Parses the chunks and completions of OpenAI and of compatible servers from `unknown` into types. Only the fields that
// are used are checked. All other fields are accepted as they are.

import { MAX_TOKENS } from '@tidemark/provider-wire';
import { z } from 'zod';
import type { WireCount } from '../decode/usage.ts';

type ChatWord = string | null | undefined;

/** Token counts as the server sends them. Any field may be missing or null. */
export interface ChatUsage {
  readonly prompt_tokens?: WireCount;
  readonly prompt_tokens_details?:
    | { readonly cached_tokens?: WireCount; readonly cache_write_tokens?: WireCount }
    | null
    | undefined;
  /** Cache reads in the form of DeepSeek. */
  readonly prompt_cache_hit_tokens?: WireCount;
  /** Cache reads in the form of Moonshot. */
  readonly cached_tokens?: WireCount;
  readonly completion_tokens?: WireCount;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: WireCount } | null | undefined;
}

/** A call, or a piece of a call in a stream. */
export interface WireCall {
  readonly index?: number | null | undefined;
  readonly id?: ChatWord;
  /** Some servers send the arguments as an object instead of a text. They are read as the JSON text of the object. */
  readonly function?: { readonly name?: ChatWord; readonly arguments?: ChatWord } | null | undefined;
}

/**
 * A message, or a piece of a message in a stream. Compatible servers send reasoning in `reasoning_content` or in
 * `reasoning`.
 */
export interface ChatMessage {
  readonly content?: ChatWord;
  readonly refusal?: ChatWord;
  readonly reasoning_content?: ChatWord;
  readonly reasoning?: ChatWord;
  readonly tool_calls?: readonly WireCall[] | null | undefined;
}

/** A chunk of a stream (with `delta`), or a whole completion (with `message`). */
export interface WireCompletion {
  readonly id?: ChatWord;
  readonly model?: ChatWord;
  readonly choices?:
    | readonly {
        readonly delta?: ChatMessage | null | undefined;
        readonly message?: ChatMessage | null | undefined;
        readonly finish_reason?: ChatWord;
        /** Place of the usage in streams of Moonshot. */
        readonly usage?: ChatUsage | null | undefined;
      }[]
    | null
    | undefined;
  readonly usage?: ChatUsage | null | undefined;
  /** Place of the usage in streams of Groq. */
  readonly x_groq?: { readonly usage?: ChatUsage | null | undefined } | null | undefined;
  readonly error?:
    | { readonly message?: ChatWord; readonly type?: ChatWord; readonly code?: string | number | null | undefined }
    | null
    | undefined;
}

// An invalid count becomes `undefined` (unknown) instead of an error, so the rest of the answer is kept.
const count: z.ZodType<WireCount> = z.number().int().nonnegative().max(MAX_TOKENS).nullish().catch(undefined);
const name: z.ZodType<ChatWord> = z.string().nullish();

const argumentsText: z.ZodType<ChatWord> = z.union([
  name,
  z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value)),
]);
const call: z.ZodType<WireCall> = z.looseObject({
  index: z.number().int().nonnegative().nullish(),
  id: name,
  function: z.looseObject({ name, arguments: argumentsText }).nullish(),
});

// Some servers put an object into `reasoning`. Only text is used, so an object is dropped.
const reasoningText: z.ZodType<ChatWord> = z.string().nullish().catch(undefined);

const message: z.ZodType<ChatMessage> = z.looseObject({
  content: name,
  refusal: name,
  reasoning_content: reasoningText,
  reasoning: reasoningText,
  tool_calls: z.array(call).nullish(),
});

const usage: z.ZodType<ChatUsage | null | undefined> = z
  .looseObject({
    prompt_tokens: count,
    prompt_tokens_details: z
      .looseObject({ cached_tokens: count, cache_write_tokens: count })
      .nullish()
      .catch(undefined),
    prompt_cache_hit_tokens: count,
    cached_tokens: count,
    completion_tokens: count,
    completion_tokens_details: z.looseObject({ reasoning_tokens: count }).nullish().catch(undefined),
  })
  .nullish()
  .catch(undefined);
const completion: z.ZodType<WireCompletion> = z.looseObject({
  id: name,
  model: name,
  choices: z
    .array(z.looseObject({ delta: message.nullish(), message: message.nullish(), finish_reason: name, usage }))
    .nullish(),
  usage,
  x_groq: z.looseObject({ usage }).nullish().catch(undefined),
  error: z.looseObject({ message: name, type: name, code: z.union([z.string(), z.number()]).nullish() }).nullish(),
});

/**
 * Checks a chunk or a completion and returns it with its type.
 *
 * @throws ZodError when the data does not have the documented shape.
 */
export function readCompletion(data: unknown): WireCompletion {
  return completion.parse(data);
}
