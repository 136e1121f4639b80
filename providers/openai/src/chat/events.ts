// The door for what Chat Completions sends, from OpenAI and from compatible servers: `unknown` enters, a type leaves.
// Only what is used is read; the rest passes.

import { MOST_TOKENS } from '@tidemark/provider-wire';
import { z } from 'zod';
import type { WireCount } from '../decode/usage.ts';

type ChatWord = string | null | undefined;

/** Counts as they come. */
export interface ChatUsage {
  readonly prompt_tokens?: WireCount;
  readonly prompt_tokens_details?:
    | { readonly cached_tokens?: WireCount; readonly cache_write_tokens?: WireCount }
    | null
    | undefined;
  readonly completion_tokens?: WireCount;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: WireCount } | null | undefined;
}

/** A call, or a piece of one. */
export interface WireCall {
  readonly index?: number | null | undefined;
  readonly id?: ChatWord;
  readonly function?: { readonly name?: ChatWord; readonly arguments?: ChatWord } | null | undefined;
}

/** A message, or a piece of one. `reasoning_content` and `reasoning` are what compatible servers call it. */
export interface ChatMessage {
  readonly content?: ChatWord;
  readonly refusal?: ChatWord;
  readonly reasoning_content?: ChatWord;
  readonly reasoning?: ChatWord;
  readonly tool_calls?: readonly WireCall[] | null | undefined;
}

/** A chunk of a stream (`delta`), or a whole completion (`message`). */
export interface WireCompletion {
  readonly id?: ChatWord;
  readonly model?: ChatWord;
  readonly choices?:
    | readonly {
        readonly delta?: ChatMessage | null | undefined;
        readonly message?: ChatMessage | null | undefined;
        readonly finish_reason?: ChatWord;
      }[]
    | null
    | undefined;
  readonly usage?: ChatUsage | null | undefined;
  readonly error?:
    | { readonly message?: ChatWord; readonly type?: ChatWord; readonly code?: string | number | null | undefined }
    | null
    | undefined;
}

// The answer is kept when a count is none: the odd value is dropped, and the count is unknown.
const count: z.ZodType<WireCount> = z.number().int().nonnegative().max(MOST_TOKENS).nullish().catch(undefined);
const name: z.ZodType<ChatWord> = z.string().nullish();

const call: z.ZodType<WireCall> = z.looseObject({
  index: z.number().int().nonnegative().nullish(),
  id: name,
  function: z.looseObject({ name, arguments: name }).nullish(),
});

// Servers put objects into `reasoning`; only its text is of use.
const reasoningText: z.ZodType<ChatWord> = z.string().nullish().catch(undefined);

const message: z.ZodType<ChatMessage> = z.looseObject({
  content: name,
  refusal: name,
  reasoning_content: reasoningText,
  reasoning: reasoningText,
  tool_calls: z.array(call).nullish(),
});

const completion: z.ZodType<WireCompletion> = z.looseObject({
  id: name,
  model: name,
  choices: z
    .array(z.looseObject({ delta: message.nullish(), message: message.nullish(), finish_reason: name }))
    .nullish(),
  usage: z
    .looseObject({
      prompt_tokens: count,
      prompt_tokens_details: z
        .looseObject({ cached_tokens: count, cache_write_tokens: count })
        .nullish()
        .catch(undefined),
      completion_tokens: count,
      completion_tokens_details: z.looseObject({ reasoning_tokens: count }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
  error: z.looseObject({ message: name, type: name, code: z.union([z.string(), z.number()]).nullish() }).nullish(),
});

/** Reads a chunk or a completion. @throws ZodError when it does not have the documented shape. */
export function readCompletion(data: unknown): WireCompletion {
  return completion.parse(data);
}
