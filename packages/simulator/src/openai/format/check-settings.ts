// What a model has to say against the settings of a request: caching that it does not have, limits out of range.

import type { Capabilities } from '@tidemark/model';
import { given, objectAt, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { cacheRulesOf, isHalfWay } from './cache-rules.ts';
import { tooLong, unknownParameter, wrongValue } from './parameter-refusals.ts';
import type { OpenAIWire } from './prompt.ts';
import { bad } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';

/** The first setting that this model does not take. */
export function checkSettings(
  fields: WireObject,
  capabilities: Capabilities,
  wire: OpenAIWire,
): OpenAIRefusal | undefined {
  return (
    tooLong('prompt_cache_key', textOf(fields['prompt_cache_key']), 64) ??
    checkLimits(fields, wire) ??
    checkRetention(fields, capabilities) ??
    checkCacheOptions(fields, capabilities, wire)
  );
}

const LEAST_OUTPUT = 16;

function checkLimits(fields: WireObject, wire: OpenAIWire): OpenAIRefusal | undefined {
  const most = fields['max_output_tokens'];
  if (typeof most === 'number' && most < LEAST_OUTPUT) {
    return bad(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${LEAST_OUTPUT}, but got ${most} instead.`,
      'max_output_tokens',
      'integer_below_min_value',
    );
  }
  if (wire !== 'chat' || !given(fields['max_tokens']) || !reasons(textOf(fields['model']))) return undefined;
  const text =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  return bad(text, 'max_tokens', 'unsupported_parameter');
}

function reasons(model: string): boolean {
  return /^(o\d|gpt-[5-9])/.test(model);
}

function checkRetention(fields: WireObject, capabilities: Capabilities): OpenAIRefusal | undefined {
  const retention = fields['prompt_cache_retention'];
  if (!given(retention)) return undefined;
  const only24 = isHalfWay(capabilities.model) || cacheRulesOf(capabilities).kind === 'boundaries';
  const supported = only24 ? ['24h'] : ['in_memory', '24h'];
  if (supported.includes(textOf(retention))) return undefined;
  return wrongValue('prompt_cache_retention', textOf(retention), supported);
}

function checkCacheOptions(
  fields: WireObject,
  capabilities: Capabilities,
  wire: OpenAIWire,
): OpenAIRefusal | undefined {
  if (!given(fields['prompt_cache_options'])) return undefined;
  const name = 'prompt_cache_options';
  if (cacheRulesOf(capabilities).kind !== 'boundaries') {
    const text = `Unsupported parameter: '${name}' is not supported with this model.`;
    return bad(text, name, 'unsupported_parameter');
  }
  const options = objectAt(fields, name);
  const known = wire === 'responses' ? ['mode', 'ttl', 'prewarm', 'comparison_response_id'] : ['mode', 'ttl'];
  const extra = Object.keys(options).find((key) => !known.includes(key));
  if (extra !== undefined) return unknownParameter(`${name}.${extra}`);
  return (
    checkChoice(options, 'mode', ['implicit', 'explicit']) ??
    checkChoice(options, 'ttl', wire === 'responses' ? ['30m', '12h'] : ['30m'])
  );
}

function checkChoice(
  options: WireObject,
  key: 'mode' | 'ttl',
  supported: readonly string[],
): OpenAIRefusal | undefined {
  const value = options[key];
  if (!given(value) || supported.includes(textOf(value))) return undefined;
  return wrongValue(`prompt_cache_options.${key}`, textOf(value), supported);
}
