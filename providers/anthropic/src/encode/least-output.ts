// The smallest answer that a request can ask for (provider facts 1.1, pre-warm).

import type { Capabilities, Front, JsonValue } from '@tidemark/model';

/**
 * 0 where the model writes its cache without an answer, and the parameters allow that; else 1. `undefined` with a thinking
 * budget, which the limit must exceed.
 */
export function leastOutput(parameters: Front['parameters'], { prewarm }: Capabilities): number | undefined {
  if (member(parameters['thinking'], 'type') === 'enabled') return undefined;
  const choice = member(parameters['tool_choice'], 'type');
  const forced = choice === 'any' || choice === 'tool';
  return !prewarm || forced || member(parameters['output_config'], 'format') !== undefined ? 1 : 0;
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isRecord(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
