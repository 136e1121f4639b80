// The face of `provider-openai`: OpenAI's Responses API, and Chat Completions for compatible servers.

export { openaiChatEncoder } from './chat/encoder.ts';
export { openaiResponsesEncoder } from './responses/encoder.ts';
export { decodeResponse } from './responses/whole.ts';
export type { OpenAIOptions } from './socket/provider.ts';
export { createOpenAIProvider } from './socket/provider.ts';
