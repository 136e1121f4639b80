// The face of `provider-scripted`: the in-memory twin of a provider.

export { scriptedEncoder } from './encoder.ts';
export type { Script, ScriptedAnswer, ScriptedProvider, ScriptedRequest } from './provider.ts';
export { createScriptedProvider } from './provider.ts';
