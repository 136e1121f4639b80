// Reads the generation of a model from OpenAI's model names, for the places where the wire format depends on it.

import { normalModelName } from '@tidemark/model';

const GPT = /^gpt-(\d{1,2})(?:\.(\d{1,2}))?/;
const O_SERIES = /^o\d/;

/**
 * True if a model reasons: the o series, GPT-5 and later. Such a model accepts `include:
 * ["reasoning.encrypted_content"]` and `max_completion_tokens`. False for a name that is not one of OpenAI's model
 * names, because nothing is known about such a model.
 */
export function isReasoning(model: string): boolean {
  return O_SERIES.test(normalModelName(model)) || (generation(model) ?? 0) >= 500;
}

/**
 * True if cache writes are billed and reported, which is the case from GPT-5.6 on. False for OpenAI's older models,
 * which have no billed writes (provider-facts §2.1). `undefined` for a name that is not OpenAI's.
 */
export function billsWrites(model: string): boolean | undefined {
  if (O_SERIES.test(normalModelName(model))) return false;
  const known = generation(model);
  return known === undefined ? undefined : known >= 506;
}

/** Returns the version of a GPT model as a number that can be compared: 5.6 is 506. */
function generation(model: string): number | undefined {
  const [, major, minor = '0'] = GPT.exec(normalModelName(model)) ?? [];
  return major === undefined ? undefined : Number(major) * 100 + Number(minor);
}
