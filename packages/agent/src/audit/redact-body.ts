// The shape of a request body: its structure with the sizes of its texts, and none of the texts.

import type { JsonValue } from '@tidemark/model';

/** Fields whose words are the wire format's own, and so no content. */
const FORMAT_WORDS: ReadonlySet<string> = new Set([
  'type',
  'role',
  'model',
  'ttl',
  'effort',
  'phase',
  'status',
  'mode',
]);

/** Fields that hold free JSON: even their names may be content. */
const FREE: ReadonlySet<string> = new Set(['input', 'input_schema', 'parameters', 'schema', 'arguments', 'metadata']);

/** The shape, or `undefined` of a body that is no JSON. */
export function redactBody(body: Uint8Array): JsonValue | undefined {
  try {
    const parsed: JsonValue = JSON.parse(new TextDecoder().decode(body));
    return redact(parsed, '');
  } catch {
    // Said by the type: some encoders write no JSON.
    return undefined;
  }
}

function redact(value: JsonValue, field: string): JsonValue {
  if (typeof value === 'string') return FORMAT_WORDS.has(field) ? value : `${Buffer.byteLength(value)} bytes`;
  if (Array.isArray(value)) {
    // A conversation is such a list too, under a name that holds free JSON elsewhere.
    return value.map((one: JsonValue) => redact(one, field === 'input' ? '' : field));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (FREE.has(field)) return `${Buffer.byteLength(JSON.stringify(value))} bytes`;
  const fields = Object.entries(value).flatMap(([name, one]): readonly (readonly [string, JsonValue])[] =>
    one === undefined ? [] : [[name, redact(one, name)]],
  );
  return Object.fromEntries(fields);
}
