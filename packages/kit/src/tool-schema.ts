// Produces the JSON Schema of a tool's arguments from the author's schema.

import { jsonSchemaOf } from '@tidemark/agent';
import { canonicalText } from '@tidemark/core';
import type { JsonValue } from '@tidemark/model';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { KitError } from './kit-error.ts';

/**
 * Returns the JSON Schema of a tool's arguments. This is the author's own JSON Schema if there is one, otherwise the
 * JSON Schema that the Standard Schema produces.
 *
 * @throws KitError `kit/no-schema` if there is no JSON Schema, if it does not describe an object, or if it is not JSON.
 */
export function toolSchemaOf(tool: string, input: StandardSchemaV1, own: JsonValue | undefined): JsonValue {
  const schema = own ?? describeInput(tool, input);
  if (typeof schema !== 'object' || schema === null || !('type' in schema) || schema.type !== 'object') {
    const message = `the arguments of ${tool} are not an object, but a model can only pass an object: use the schema of an object`;
    throw new KitError('kit/no-schema', message, { tool });
  }
  requireJson(tool, schema);
  return schema;
}

function requireJson(tool: string, schema: JsonValue): void {
  try {
    canonicalText(schema);
  } catch (cause) {
    const message = `the JSON Schema of ${tool} contains a value that JSON cannot represent: remove it`;
    throw new KitError('kit/no-schema', message, { tool }, cause);
  }
}

function describeInput(tool: string, input: StandardSchemaV1): JsonValue {
  const described = jsonSchemaOf(input);
  if ('schema' in described) return described.schema;
  const { vendor } = input['~standard'];
  const message =
    described.problem === 'unsupported'
      ? `the schema of ${tool} (${vendor}) does not support Standard JSON Schema: pass its JSON Schema as \`schema\` with \`input\`, or use a release of the library that supports it`
      : `the schema of ${tool} (${vendor}) cannot be written as JSON Schema: pass its JSON Schema as \`schema\` with \`input\``;
  throw new KitError('kit/no-schema', message, { tool, vendor }, described.cause);
}
