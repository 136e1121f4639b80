// What enters the cache key beside the blocks, and how it is written: frozen, before everything else in the body.

import type { Front, JsonValue } from '@tidemark/model';
import { canonicalText } from '@tidemark/model';
import { refuse } from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';

/** Parameters that are fields of the body. */
const FIELDS = new Set([
  'context_management',
  'inference_geo',
  'output_config',
  'service_tier',
  'speed',
  'stop_sequences',
  'temperature',
  'thinking',
  'tool_choice',
  'top_k',
  'top_p',
]);

type MessageFields = { readonly [name: string]: JsonValue | undefined };

/** Parameters that stand inside a field, which is this where it is not given itself. */
const INSIDE: ReadonlyMap<string, readonly [field: string, otherwise: MessageFields]> = new Map([
  ['effort', ['output_config', {}]],
  ['disable_parallel_tool_use', ['tool_choice', { type: 'auto' }]],
]);

/** Canonical JSON of model and render parameters: the head of the prefix sequence. */
export function frozenParameters(front: Front): string {
  return canonicalText({ ...front.parameters, model: front.model });
}

/**
 * The beginning of a body: `{"model":…,` and the parameters by ascending name.
 *
 * @throws ProviderError `provider/unsupported` for a name that this provider has no field for.
 */
export function bodyHeader(front: Front): string {
  const fields = canonicalText(wireParameters(front)).slice(1, -1);
  return `{"model":${canonicalText(front.model)},${fields === '' ? '' : `${fields},`}`;
}

/** The names written before the messages, which therefore cannot come again after them. */
export function headerNames(front: Front): readonly string[] {
  return ['model', ...Object.keys(wireParameters(front))];
}

function wireParameters(front: Front): MessageFields {
  const names = Object.keys(front.parameters);
  const unknown = names.find((name) => !FIELDS.has(name) && !INSIDE.has(name));
  if (unknown !== undefined) throw unknownName(unknown);
  const parameters = new Map(Object.entries(front.parameters));
  const wire = new Map([...parameters].filter(([name]) => FIELDS.has(name)));
  for (const [name, [field, otherwise]] of INSIDE) {
    const value = parameters.get(name);
    if (value !== undefined) wire.set(field, { ...(recordOf(wire.get(field)) ?? otherwise), [name]: value });
  }
  return Object.fromEntries(wire);
}

function recordOf(value: JsonValue | undefined): MessageFields | undefined {
  return isRecord(value) ? value : undefined;
}

function isRecord(value: JsonValue | undefined): value is MessageFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownName(name: string): Error {
  const known = [...FIELDS, ...INSIDE.keys()].toSorted().join(', ');
  return refuse(ANTHROPIC, 'provider/unsupported', `Anthropic has no render parameter "${name}": use one of ${known}`);
}
