// Encoders of Chat Completions for compatible servers, revision 1. After a release, their bytes must never change. They
// differ in two ways: in the reasoning that is sent back, and in the field `stream_options`, which some servers refuse.
// The revision names both. So the log of a request determines its bytes.

import type { Encoder } from '@tidemark/model';
import { CHAT_DIALECT, limitFields } from '../chat/encoder.ts';
import type { ReasoningReturn } from '../chat/dialect.ts';
import { chatEncoder, WRITTEN } from '../chat/dialect.ts';
import { COMPATIBLE } from '../service.ts';

/**
 * Reasoning that a compatible server receives back.
 *
 * - `none`: no reasoning. The default, because many servers refuse unknown fields of a message.
 * - `own`: `reasoning_content` of each answer that had reasoning.
 * - `always`: as `own`, and an empty field in each other message of the assistant. DeepSeek refuses a message without the
 *   field if the request has tools.
 * - `always-spaced`: as `always`, with a space instead of an empty field. Moonshot refuses a message with calls if the
 *   field is missing or empty.
 */
export type SentReasoning = 'none' | 'own' | 'always' | 'always-spaced';

const RETURNS: { readonly [reasoning in SentReasoning]: ReasoningReturn | undefined } = {
  none: undefined,
  own: {},
  always: { fill: '' },
  'always-spaced': { fill: ' ' },
};

const NAMES: { readonly [reasoning in SentReasoning]: string } = {
  none: 'compatible-chat',
  own: 'compatible-chat-reasoning',
  always: 'compatible-chat-reasoning-always',
  'always-spaced': 'compatible-chat-reasoning-always-spaced',
};

/**
 * Names that a request parameter of a compatible server must not have. The encoders write most of these fields
 * themselves. The field `n` is refused because the decoder reads only the first of several answers.
 */
export const COMPATIBLE_RESERVED: ReadonlySet<string> = new Set([...WRITTEN, 'stream', 'stream_options', 'n']);

function encoderFor(reasoning: SentReasoning, counts: boolean): Encoder {
  const returned = RETURNS[reasoning];
  return chatEncoder({
    ...CHAT_DIALECT,
    service: COMPATIBLE,
    revision: `${NAMES[reasoning]}${counts ? '' : '-without-stream-options'}/1`,
    parameters: { ...CHAT_DIALECT.parameters, reserved: COMPATIBLE_RESERVED },
    ...(!counts && { varying: limitFields }),
    ...(returned !== undefined && { reasoning: returned }),
  });
}

function encodersOf(reasoning: SentReasoning): Encoder {
  return { ...encoderFor(reasoning, true), without: { stream_options: encoderFor(reasoning, false) } };
}

/** Encoders for compatible servers, by the reasoning that is sent back. Each has a variant without `stream_options`. */
export const COMPATIBLE_ENCODERS: { readonly [reasoning in SentReasoning]: Encoder } = {
  none: encodersOf('none'),
  own: encodersOf('own'),
  always: encodersOf('always'),
  'always-spaced': encodersOf('always-spaced'),
};
