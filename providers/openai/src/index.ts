// Public exports of `provider-openai`: OpenAI's Responses API, Chat Completions for compatible servers, and OpenRouter.

export { openaiChatEncoder } from './chat/encoder.ts';
export type { SentReasoning } from './compatible/encoders.ts';
export { COMPATIBLE_ENCODERS, COMPATIBLE_RESERVED } from './compatible/encoders.ts';
export type { CompatibleOptions } from './compatible/provider.ts';
export { createCompatibleProvider } from './compatible/provider.ts';
export { openrouterEncoder } from './openrouter/encoder.ts';
export type { OpenRouterOptions } from './openrouter/provider.ts';
export { createOpenRouterProvider } from './openrouter/provider.ts';
export type { OpenAIOptions } from './provider.ts';
export { createOpenAIProvider } from './provider.ts';
export { openaiResponsesEncoder } from './responses/encoder.ts';
export { decodeResponse } from './responses/answer.ts';
