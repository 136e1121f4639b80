// Public exports of `provider-scripted`, the in-memory provider.

export { scriptedEncoder } from './encoder.ts';
export type { Script, ScriptedAnswer, ScriptedProvider, ScriptedRequest } from './provider.ts';
export { createScriptedProvider } from './provider.ts';
