// Schemas of the parts of prompts, results and answers. They do not change after the first release.

import type {
  AnswerPart,
  AnswerText,
  CacheWrite,
  CallPart,
  ImagePart,
  NativePart,
  ReasoningPart,
  TextPart,
  Usage,
} from '@tidemark/core';
import { z } from 'zod';
import type { SequenceRecord } from '../../events/call.ts';
import type { CallId, Digest } from '../../ids.ts';
import type { ContentPart, FilePart } from '../../parts.ts';
import type { PayloadShape } from './decoder.ts';
import { callId, digest, number, optional, text } from './decoder.ts';

const textPart = z.object({ type: z.literal('text'), text } satisfies PayloadShape<TextPart>);

const answerText = z.object({
  type: z.literal('text'),
  text,
  phase: optional(text),
} satisfies PayloadShape<AnswerText>);

const imagePart = z.object({
  type: z.literal('image'),
  artifact: digest,
  mediaType: text,
  bytes: number,
  width: optional(number),
  height: optional(number),
} satisfies PayloadShape<ImagePart<Digest>>);

const filePart = z.object({
  type: z.literal('file'),
  path: text,
  artifact: optional(digest),
} satisfies PayloadShape<FilePart>);

const reasoningPart = z.object({
  type: z.literal('reasoning'),
  opaque: optional(text),
  text,
} satisfies PayloadShape<ReasoningPart>);

const callPart = z.object({
  type: z.literal('call'),
  call: callId,
  name: text,
  arguments: text,
} satisfies PayloadShape<CallPart<CallId>>);

const nativePart = z.object({
  type: z.literal('native'),
  provider: text,
  item: text,
  text,
} satisfies PayloadShape<NativePart>);

export const contentParts: z.ZodType<readonly ContentPart[]> = z.array(
  z.discriminatedUnion('type', [textPart, imagePart, filePart]),
);

export const answerParts: z.ZodType<readonly AnswerPart<CallId>[]> = z.array(
  z.discriminatedUnion('type', [answerText, reasoningPart, callPart, nativePart]),
);

export const sequenceParameters: z.ZodType<SequenceRecord['parameters']> = z.object({
  tools: digest,
  system: digest,
  messages: digest,
} satisfies PayloadShape<SequenceRecord['parameters']>);

export const ttl: z.ZodType<CacheWrite['ttl']> = z.enum(['5m', '1h', '30m', '12h']);

const cacheWrite = z.object({ ttl, tokens: number } satisfies PayloadShape<CacheWrite>);

export const usage: z.ZodType<Usage> = z.object({
  fresh: optional(number),
  read: optional(number),
  writes: optional(z.array(cacheWrite)),
  input: optional(number),
  written: optional(number),
  answer: optional(number),
  reasoning: optional(number),
} satisfies PayloadShape<Usage>);
