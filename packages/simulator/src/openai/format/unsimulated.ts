// Refuses parameters whose effect the simulator does not imitate. If the simulator ignored them, a test would pass
// although its request has no effect.

import { isList, isObject, isPresent, objectAt, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { firstRefusal } from '../../core/refusal.ts';
import type { OpenAIPurpose } from './fields.ts';
import { cacheRulesOf } from './prompt.ts';
import { bad, wrongType, wrongValue } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';
import type { Capabilities } from '@tidemark/model';

/** Condition under which a parameter has an effect that is not simulated. */
type HasEffect = (value: unknown) => boolean;

type Effects = { readonly [name: string]: HasEffect };

const always: HasEffect = () => true;
const ifTrue: HasEffect = (value) => value === true;
const ifFilled: HasEffect = (value) =>
  isList(value) ? value.length > 0 : !isObject(value) || Object.keys(value).length > 0;
const ifAbove =
  (most: number): HasEffect =>
  (value) =>
    typeof value === 'number' && value > most;

const COMMON: Effects = {
  moderation: always,
  stream_options: (value) => isObject(value) && value['include_obfuscation'] === true,
  top_logprobs: ifAbove(0),
};

const RESPONSES: Effects = {
  ...COMMON,
  access_programs: (value) => objectValues(value).some((each) => each !== 'standard'),
  background: ifTrue,
  context_management: ifFilled,
  image: (value) => objectValues(value).includes('enabled'),
  include: (value) => isList(value) && value.includes('message.output_text.logprobs'),
};

const CHAT: Effects = {
  ...COMMON,
  audio: always,
  function_call: always,
  functions: ifFilled,
  logit_bias: ifFilled,
  logprobs: ifTrue,
  modalities: (value) => isList(value) && value.some((each) => each !== 'text'),
  n: ifAbove(1),
  prediction: always,
  seed: always,
  store: ifTrue,
  web_search_options: always,
};

const ROUTER: Effects = { ...CHAT, models: ifFilled, plugins: ifFilled, route: always, transforms: ifFilled };

const EFFECTS: { readonly [purpose in OpenAIPurpose]: Effects } = {
  responses: RESPONSES,
  count: { ...RESPONSES, personality: always },
  chat: CHAT,
  router: ROUTER,
};

/** Advice for parameters for which there is a better step than removing them. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['function_call', "Use 'tool_choice'."],
  ['functions', "Use 'tools'."],
  ['n', 'Send one call for each answer.'],
]);

function objectValues(value: unknown): readonly unknown[] {
  return isObject(value) ? Object.values(value).filter(isPresent) : [];
}

/**
 * Returns a refusal for the first parameter whose effect is not simulated, or `undefined`. The types of the parameters
 * have been checked before.
 */
export function checkUnsimulated(
  fields: WireObject,
  purpose: OpenAIPurpose,
  capabilities: Capabilities,
): OpenAIRefusal | undefined {
  const effects = EFFECTS[purpose];
  return (
    firstRefusal(Object.entries(fields), ([name, value]) => {
      const hasEffect = Object.hasOwn(effects, name) ? effects[name] : undefined;
      return isPresent(value) && hasEffect?.(value) === true ? notSimulated(name) : undefined;
    }) ??
    checkTier(fields, purpose) ??
    checkAutomatic(fields, purpose, capabilities)
  );
}

function notSimulated(name: string): OpenAIRefusal {
  return bad(`simulator: '${name}' is not simulated. ${ADVICE.get(name) ?? 'Remove it.'}`, name);
}

const CHAT_TIERS = ['auto', 'default', 'flex', 'scale', 'priority', 'fast'];

/** Refuses an unknown service tier. A router passes its tiers on to a provider, so they are not checked. */
function checkTier(fields: WireObject, purpose: OpenAIPurpose): OpenAIRefusal | undefined {
  const tier = fields['service_tier'];
  const known = purpose === 'chat' ? CHAT_TIERS : [...CHAT_TIERS, 'ultrafast'];
  if (!isPresent(tier) || purpose === 'router' || known.includes(textOf(tier))) return undefined;
  return wrongValue('service_tier', textOf(tier), known);
}

/** Refuses a router's automatic cache marker for a model other than Claude, because its rules are not known. */
function checkAutomatic(
  fields: WireObject,
  purpose: OpenAIPurpose,
  capabilities: Capabilities,
): OpenAIRefusal | undefined {
  if (purpose !== 'router' || !isPresent(fields['cache_control'])) return undefined;
  return cacheRulesOf(capabilities).kind === 'markers' ? undefined : notSimulated('cache_control');
}

// Stop sequences of Chat Completions.

const MAX_STOPS = 4;

/** Returns the texts at which an answer ends, or a refusal if `stop` is not a text or a list of at most four texts. */
export function readStops({ stop }: WireObject): readonly string[] | OpenAIRefusal {
  if (!isPresent(stop)) return [];
  const stops = typeof stop === 'string' ? [stop] : stop;
  if (!isList(stops)) return wrongType('stop', 'one of a string or array of strings', stop);
  const texts = stops.filter((each) => typeof each === 'string');
  const odd = stops.findIndex((each) => typeof each !== 'string');
  if (odd !== -1) return wrongType(`stop[${odd}]`, 'a string', stops[odd]);
  if (texts.length <= MAX_STOPS) return texts;
  const text = `Invalid 'stop': array too long. Expected an array with maximum length ${MAX_STOPS}, but got an array with length ${texts.length} instead.`;
  return bad(text, 'stop', 'array_above_max_length');
}

// Tools that the service itself runs.

/** Tool types whose calls the client runs. The simulator offers them like functions. */
const OWN_TOOLS: ReadonlySet<string> = new Set([
  'apply_patch',
  'computer',
  'computer_use_preview',
  'custom',
  'function',
  'local_shell',
  'namespace',
]);

/**
 * Returns a refusal for the first tool that the service itself runs, or `undefined`. `path` names the list in the error
 * text.
 */
export function checkServerTools(tools: unknown, path = 'tools'): OpenAIRefusal | undefined {
  return firstRefusal((isList(tools) ? tools : []).entries(), ([i, tool]) => {
    if (!isObject(tool) || isRunByClient(tool)) return undefined;
    const text = `simulator: the server tool '${textOf(tool['type'])}' is not simulated. Remove it, or use the option serverTools: 'offered' (--offer-server-tools): the tool is then offered and never called.`;
    return bad(text, `${path}[${i}]`);
  });
}

function isRunByClient(tool: WireObject): boolean {
  const type = textOf(tool['type']);
  if (type === 'tool_search') return tool['execution'] === 'client';
  if (type === 'shell') return !textOf(objectAt(tool, 'environment')['type']).startsWith('container');
  return OWN_TOOLS.has(type);
}
