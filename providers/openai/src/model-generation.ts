// What OpenAI's names of models tell of their generation, where the wire format depends on it.

import { normalModelName } from '@tidemark/model';

const GPT = /^gpt-(\d{1,2})(?:\.(\d{1,2}))?/;
const O_SERIES = /^o\d/;

/**
 * Whether a model reasons, and so takes `include: ["reasoning.encrypted_content"]` and `max_completion_tokens`: the o
 * series, GPT-5 and later. A name that is not OpenAI's does not, as far as is known here.
 */
export function isReasoning(model: string): boolean {
  return O_SERIES.test(normalModelName(model)) || (generation(model) ?? 0) >= 500;
}

/**
 * Whether writes to the cache are billed and reported: from GPT-5.6 on they are, on OpenAI's older models there are none
 * (provider facts 2.1). `undefined` for a name that is not OpenAI's: nothing is known.
 */
export function billsWrites(model: string): boolean | undefined {
  if (O_SERIES.test(normalModelName(model))) return false;
  const known = generation(model);
  return known === undefined ? undefined : known >= 506;
}

/** A GPT's version as a number to compare by: 5.6 is 506. */
function generation(model: string): number | undefined {
  const [, major, minor = '0'] = GPT.exec(normalModelName(model)) ?? [];
  return major === undefined ? undefined : Number(major) * 100 + Number(minor);
}
