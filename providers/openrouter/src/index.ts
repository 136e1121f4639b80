// The face of `provider-openrouter`.

export { openrouterEncoder } from './encode/encoder.ts';
export type { OpenRouterOptions } from './socket/provider.ts';
export { createOpenRouterProvider } from './socket/provider.ts';
