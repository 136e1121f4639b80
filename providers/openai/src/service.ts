// Who is spoken to: OpenAI itself, or a server that speaks its Chat Completions.

import type { Service } from '@tidemark/provider-wire';

/** OpenAI's own API. Its encoders say so in their errors, whoever is sent to. */
export const OPENAI: Service = { name: 'openai', title: 'OpenAI' };

/** Ollama, vLLM, llama.cpp: no catalog knows their models, so they are a provider of their own. */
export const COMPATIBLE: Service = { name: 'compatible', title: 'the compatible server' };
