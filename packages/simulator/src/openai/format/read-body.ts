// Reads the bytes of a body, and checks its top level, model and tools. Returns its fields and the catalog row of its
// model.

import { parseBody, TOO_DEEP } from '../../core/body.ts';
import type { Capabilities } from '@tidemark/model';
import { isObject, textOf, objectAt } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { checkSettings, checkTop } from './fields.ts';
import type { OpenAIPurpose } from './fields.ts';
import { bad, refuseOpenAI } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';
import { checkTools } from './tools.ts';
import type { OpenAIWire } from './prompt.ts';
import { checkUnsimulated } from './unsimulated.ts';
import { checkStreaming, checkValues } from './values.ts';

/** Body whose top level, tools and model passed the checks, with the catalog row of the model. */
export interface ReadBody {
  readonly fields: WireObject;
  readonly capabilities: Capabilities;
}

/** Function that returns the catalog row of a model, or `undefined` if the model does not exist. */
export type FindRow = (model: string) => Capabilities | undefined;

const NOT_JSON =
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)";

/** Reads a body and checks its top level, model and tools. Returns a refusal if a check fails. */
export function readBody(body: Uint8Array, purpose: OpenAIPurpose, find: FindRow): ReadBody | OpenAIRefusal {
  const parsed = parseBody(body);
  if (parsed === 'too-deep') return bad(TOO_DEEP, null);
  const fields = parsed?.value;
  if (!isObject(fields)) return bad(NOT_JSON, null);
  const wrong = checkTop(fields, purpose);
  if (wrong !== undefined) return wrong;
  const model = textOf(fields['model']);
  const capabilities = purpose === 'router' ? findRouted(model, find) : find(model);
  const known = capabilities !== undefined && (purpose === 'router' || capabilities.provider === 'openai');
  if (!known) return noModel(model, purpose);
  const wire = purpose === 'count' ? 'responses' : purpose;
  return (
    checkValues(fields, purpose) ??
    checkSettings(fields, capabilities, wire) ??
    checkUnsimulated(fields, purpose, capabilities) ??
    checkStreaming(fields, purpose) ??
    checkTools(fields, wire) ?? { fields, capabilities }
  );
}

/**
 * A router puts the provider's name before the model: `anthropic/claude-…`. The row without this name is looked up
 * first, because the router uses the provider's own cache.
 */
function findRouted(model: string, find: FindRow): Capabilities | undefined {
  return find(model.slice(model.indexOf('/') + 1)) ?? find(model);
}

function noModel(model: string, purpose: OpenAIPurpose): OpenAIRefusal {
  if (purpose === 'router') return bad(`${model} is not a valid model ID`, null);
  const about = { code: 'model_not_found', param: purpose === 'chat' ? null : 'model' };
  if (purpose !== 'chat') return refuseOpenAI(400, `The requested model '${model}' does not exist.`, about);
  return refuseOpenAI(404, `The model \`${model}\` does not exist or you do not have access to it.`, about);
}

/**
 * Returns the settings of a request that are part of the cache key in addition to the blocks (provider-facts §2.2).
 * Each key is the name of a setting in the Responses API, and each value is JSON text. An absent setting counts as its
 * default. The defaults of effort and verbosity are inferred ([I]). `tool_choice` is not one of these settings.
 */
export function settingsOf(fields: WireObject, wire: OpenAIWire): { readonly [name: string]: string } {
  const { text, verbosity, effort } = wire === 'responses' ? ofResponses(fields) : ofChat(fields);
  const tier = fields['service_tier'] ?? 'auto';
  return settingTexts({
    parallel_tool_calls: fields['parallel_tool_calls'] ?? true,
    'text.format': text ?? { type: 'text' },
    'reasoning.effort': effort ?? 'medium',
    'text.verbosity': verbosity ?? 'medium',
    context_management: fields['context_management'] ?? [],
    service_tier: tier === 'auto' ? 'default' : tier,
  });
}

interface ReadSettings {
  readonly text: unknown;
  readonly verbosity: unknown;
  readonly effort: unknown;
}

function ofResponses(fields: WireObject): ReadSettings {
  const { format, verbosity } = objectAt(fields, 'text');
  return { text: format, verbosity, effort: objectAt(fields, 'reasoning')['effort'] };
}

function ofChat(fields: WireObject): ReadSettings {
  const effort = fields['reasoning_effort'] ?? objectAt(fields, 'reasoning')['effort'];
  return { text: fields['response_format'], verbosity: fields['verbosity'], effort };
}

function settingTexts(settings: WireObject): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, JSON.stringify(value)]));
}
