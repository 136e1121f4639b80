// Changes inside the history (§2.2): another effort from here on, more tools from here on. Which models take which is a matter
// of the catalog's rows.

import type { Capabilities } from '@tidemark/model';
import { isList, isObject } from '../../core/wire.ts';
import { itemType } from './check-items.ts';
import { missingParameter, wrongValue } from './parameter-refusals.ts';
import { bad, firstBad } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';
import { checkTools } from './tools.ts';

/** Refuses a change that this model does not take, or not there. */
export function checkChanges(input: readonly unknown[], appends: Capabilities['appends']): OpenAIRefusal | undefined {
  const types = input.map((item) => (isObject(item) ? itemType(item) : ''));
  return firstBad(types.entries(), ([i, type]) => {
    const path = `input[${i}]`;
    if (type === 'configuration_update') return checkUpdate(path, types[i - 1], appends);
    return type === 'additional_tools' ? checkAddition(input[i], path, appends) : undefined;
  });
}

function checkUpdate(
  path: string,
  before: string | undefined,
  appends: Capabilities['appends'],
): OpenAIRefusal | undefined {
  if (!appends.includes('reasoning')) return unsupported('configuration_update', path);
  if (before !== 'configuration_update') return undefined;
  return bad("Consecutive 'configuration_update' items are not allowed.", 'input');
}

function checkAddition(item: unknown, path: string, appends: Capabilities['appends']): OpenAIRefusal | undefined {
  if (!appends.includes('tool-additions')) return unsupported('additional_tools', path);
  const { role, tools } = isObject(item) ? item : {};
  if (role !== 'developer') return wrongValue(`${path}.role`, String(role), ['developer']);
  if (!isList(tools)) return missingParameter(`${path}.tools`);
  return checkTools({ tools }, 'responses', `${path}.tools`);
}

function unsupported(type: string, path: string): OpenAIRefusal {
  return bad(`Unsupported value: '${type}' is not supported with this model.`, `${path}.type`, 'unsupported_value');
}
