// Presets: compatible servers that have their own names. This file contains only data. Each base URL and each special
// behaviour is from the cited documentation, which was read on 2026-11-23. No preset was tried with a real server.

import type { SentReasoning } from '@tidemark/provider-openai';

/** Name of a preset. The option `provider` accepts it. */
export type PresetName =
  | 'deepseek'
  | 'groq'
  | 'mistral'
  | 'together'
  | 'fireworks'
  | 'xai'
  | 'moonshot'
  | 'zai'
  | 'ollama'
  | 'lmstudio'
  | 'vllm'
  | 'llamacpp';

/** Data of a compatible server that has its own name. */
export interface Preset {
  readonly title: string;
  /** Address of the API, with the path before `/chat/completions`. */
  readonly baseURL: string;
  /** Environment variable with the key. Absent for a server that runs on the user's machine and needs no key. */
  readonly variable?: string;
  /** Page from which the address and the special behaviour were read. */
  readonly documentation: string;
  /** Reason why the preset is not known to work. */
  readonly untested: string;
  /** Reasoning that the server receives back. Default: `none`. */
  readonly reasoning?: SentReasoning;
  /** Facts about the server that a user may need, each with its source. */
  readonly notes?: string;
}

/** The documentation was read, and no request was sent to the server. */
const UNTESTED = 'untested: no real call was made';

/** Presets by name. */
export const PRESETS: { readonly [name in PresetName]: Preset } = {
  deepseek: {
    title: 'DeepSeek',
    baseURL: 'https://api.deepseek.com',
    variable: 'DEEPSEEK_API_KEY',
    documentation: 'https://api-docs.deepseek.com/guides/thinking_mode',
    untested: UNTESTED,
    // The documentation requires the reasoning of turns with calls. The API also refuses messages without the field:
    // github.com/experientiallabs/experiential/pull/890, github.com/NousResearch/hermes-agent/pull/15770.
    reasoning: 'always',
  },
  groq: {
    title: 'Groq',
    baseURL: 'https://api.groq.com/openai/v1',
    variable: 'GROQ_API_KEY',
    documentation: 'https://console.groq.com/docs/openai',
    untested: UNTESTED,
    notes: 'refuses logprobs, logit_bias, top_logprobs, and n other than 1',
  },
  mistral: {
    title: 'Mistral',
    baseURL: 'https://api.mistral.ai/v1',
    variable: 'MISTRAL_API_KEY',
    documentation: 'https://docs.mistral.ai/api',
    untested: UNTESTED,
    notes: 'untested: call ids of another provider after a switch of the model',
  },
  together: {
    title: 'Together AI',
    baseURL: 'https://api.together.ai/v1',
    variable: 'TOGETHER_API_KEY',
    documentation: 'https://docs.together.ai/docs/inference/openai-compatibility',
    untested: UNTESTED,
  },
  fireworks: {
    title: 'Fireworks AI',
    baseURL: 'https://api.fireworks.ai/inference/v1',
    variable: 'FIREWORKS_API_KEY',
    documentation: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
    untested: UNTESTED,
  },
  xai: {
    title: 'xAI',
    baseURL: 'https://api.x.ai/v1',
    variable: 'XAI_API_KEY',
    documentation: 'https://docs.x.ai/developers/model-capabilities/text/comparison',
    untested: `${UNTESTED}, and the address was read only in the documentation of other libraries`,
    notes: 'Chat Completions is deprecated and returns no reasoning',
  },
  moonshot: {
    title: 'Moonshot AI',
    baseURL: 'https://api.moonshot.ai/v1',
    variable: 'MOONSHOT_API_KEY',
    documentation: 'https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model',
    untested: `${UNTESTED}, and the address was read only in the documentation of other libraries`,
    // "thinking is enabled but reasoning_content is missing in assistant tool call message": other clients report that
    // an empty field is refused too (github.com/openclaw/openclaw/issues/70565).
    reasoning: 'always-spaced',
  },
  zai: {
    title: 'Z.ai',
    baseURL: 'https://api.z.ai/api/paas/v4',
    variable: 'ZAI_API_KEY',
    documentation: 'https://docs.z.ai/guides/capabilities/thinking-mode',
    untested: UNTESTED,
    // "Thinking blocks should be explicitly preserved and returned together with the tool results."
    reasoning: 'own',
    notes: 'the coding plan has another address: https://api.z.ai/api/coding/paas/v4',
  },
  ollama: {
    title: 'Ollama',
    baseURL: 'http://127.0.0.1:11434/v1',
    documentation: 'https://docs.ollama.com/api/openai-compatibility',
    untested: UNTESTED,
  },
  lmstudio: {
    title: 'LM Studio',
    baseURL: 'http://127.0.0.1:1234/v1',
    documentation: 'https://lmstudio.ai/docs/developer/openai-compat',
    untested: UNTESTED,
  },
  vllm: {
    title: 'vLLM',
    baseURL: 'http://127.0.0.1:8000/v1',
    documentation: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
    untested: UNTESTED,
  },
  llamacpp: {
    title: 'llama.cpp',
    baseURL: 'http://127.0.0.1:8080/v1',
    documentation: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
    untested: `${UNTESTED}, and the address was read only in a copy of the documentation`,
  },
};
