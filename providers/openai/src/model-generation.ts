// Reads the generation of a model from OpenAI's model names. The wire format depends on the generation in some places.

import { normalModelName } from '@tidemark/model';

const GPT = /^gpt-(\d{1,2})(?:\.(\d{1,2}))?/;
const O_SERIES = /^o\d/;

/**
 * True if a model reasons: the o series, GPT-5 and later. Such a model accepts `include:
 * ["reasoning.encrypted_content"]` and `max_completion_tokens`. If a name is not a model name of OpenAI, nothing is
 * known about the model, so the result is false.
 */
export function isReasoning(model: string): boolean {
  return O_SERIES.test(normalModelName(model)) || (generation(model) ?? 0) >= 500;
}

/**
 * True if cache writes are billed and reported. This is the case from GPT-5.6 on. False for OpenAI's older models,
 * because their writes are free (provider-facts §2.1). `undefined` for a name that is not OpenAI's.
 */
export function billsWrites(model: string): boolean | undefined {
  if (O_SERIES.test(normalModelName(model))) return false;
  const known = generation(model);
  return known === undefined ? undefined : known >= 506;
}

/** Returns the version of a GPT model as a number for comparisons. The version 5.6 gives 506. */
function generation(model: string): number | undefined {
  const [, major, minor = '0'] = GPT.exec(normalModelName(model)) ?? [];
  return major === undefined ? undefined : Number(major) * 100 + Number(minor);
}
