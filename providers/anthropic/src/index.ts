// Public exports of `provider-anthropic`: Anthropic's Messages API as a provider.

export { decodeMessage } from './decode/stream.ts';
export { anthropicEncoder } from './encode/encoder.ts';
export type { AnthropicOptions } from './socket/provider.ts';
export { createAnthropicProvider } from './socket/provider.ts';
