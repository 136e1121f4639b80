// Checks the chunks and completions of OpenAI and of compatible servers, and gives them types. Only the fields that are
// used are checked. All other fields are accepted.

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

/** Text of arguments that a server sent as a JSON value and not as a text. */
export interface WholeArguments {
  readonly whole: string;
}

/** A call, or a piece of a call in a stream. */
export interface WireCall {
  readonly index?: number | null | undefined;
  readonly id?: ChatWord;
  readonly function?: { readonly name?: ChatWord; readonly arguments?: ChatWord | WholeArguments } | null | undefined;
}

/** Text and reasoning of a content that is a list of parts. Mistral sends such a list for its reasoning models. */
export interface ListedContent {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * A message, or a piece of a message in a stream. Compatible servers send reasoning in `reasoning_content` or in
 * `reasoning`.
 */
export interface ChatMessage {
  readonly content?: ChatWord | ListedContent;
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
  readonly error?: ChatWireError | null | undefined;
}

/** An error in a chunk or a body. */
export interface ChatWireError {
  readonly message?: ChatWord;
  readonly type?: ChatWord;
  readonly code?: string | number | null | undefined;
}

// An invalid count becomes `undefined` (unknown) instead of an error. So the rest of the answer is not lost.
const count: z.ZodType<WireCount> = z.number().int().nonnegative().max(MAX_TOKENS).nullish().catch(undefined);
const name: z.ZodType<ChatWord> = z.string().nullish();

// The API documents a text here. A number is accepted too, because some servers send a number.
const label: z.ZodType<ChatWord> = z.union([name, z.number().transform(String)]);

const argumentsText: z.ZodType<ChatWord | WholeArguments> = z.union([
  name,
  z.unknown().transform((value) => ({ whole: JSON.stringify(value) })),
]);
const slot: z.ZodType<number | null | undefined> = z.coerce.number().int().nonnegative().nullish().catch(undefined);
const call: z.ZodType<WireCall> = z.looseObject({
  index: z.union([z.null(), z.undefined(), slot]),
  id: label,
  function: z.looseObject({ name, arguments: argumentsText.optional() }).nullish(),
});

// Some servers put an object into `reasoning`. Only text is used, so an object is dropped.
const reasoningText: z.ZodType<ChatWord> = z.string().nullish().catch(undefined);

const textPart = z.looseObject({ type: z.string().optional(), text: z.string().optional() });
const listed: z.ZodType<ListedContent> = z
  .array(z.union([z.string(), textPart.extend({ thinking: z.union([z.string(), z.array(textPart)]).optional() })]))
  .transform((parts) => ({
    text: parts.map((part) => (typeof part === 'string' ? part : (part.text ?? ''))).join(''),
    reasoning: parts.map((part) => (typeof part === 'string' ? '' : thinkingOf(part.thinking))).join(''),
  }));

function thinkingOf(thinking: string | readonly { readonly text?: string | undefined }[] = ''): string {
  return typeof thinking === 'string' ? thinking : thinking.map(({ text = '' }) => text).join('');
}

const message: z.ZodType<ChatMessage> = z.looseObject({
  content: z.union([name, listed]),
  refusal: name,
  reasoning_content: reasoningText,
  reasoning: reasoningText,
  tool_calls: z.union([z.array(call).nullish(), call.transform((one) => [one])]),
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
const errorText: z.ZodType<ChatWord> = z.union([
  name,
  z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value)),
]);
const error: z.ZodType<ChatWireError> = z.looseObject({
  message: errorText,
  type: label.catch(undefined),
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
});
const completion: z.ZodType<WireCompletion> = z.looseObject({
  id: label,
  model: name,
  choices: z
    .array(z.looseObject({ delta: message.nullish(), message: message.nullish(), finish_reason: label, usage }))
    .nullish(),
  usage,
  x_groq: z.looseObject({ usage }).nullish().catch(undefined),
  error: z.union([error.nullish(), z.string().transform((text) => ({ message: text }))]),
});

// Some servers send the fields of an error without the field `error` around them.
const bareError: z.ZodType<ChatWireError> = z.looseObject({
  message: z.string(),
  type: label.catch(undefined),
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
});

/**
 * Checks a chunk or a completion and returns it with its type.
 *
 * @throws ZodError when the data does not have the documented shape.
 */
export function readCompletion(data: unknown): WireCompletion {
  const read = completion.parse(data);
  if (read.choices || read.error) return read;
  const bare = bareError.safeParse(data);
  return bare.success ? { ...read, error: bare.data } : read;
}
