// Settings that enter the cache key beside the blocks (§2.2), by the names of the Responses wire. A setting that is left
// out is the same as its default said aloud [I: the defaults of effort and verbosity]. `tool_choice` is none of them.

import { objectAt } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import type { OpenAIWire } from './prompt.ts';

/** Reads the settings of a request, each as JSON text. */
export function settingsOf(fields: WireObject, wire: OpenAIWire): { readonly [name: string]: string } {
  const { text, verbosity, effort } = wire === 'responses' ? ofResponses(fields) : ofChat(fields);
  const tier = fields['service_tier'] ?? 'auto';
  return said({
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

function said(settings: WireObject): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, JSON.stringify(value)]));
}
