// From a Standard Schema to the JSON Schema that a model is shown.

import type { JsonValue } from '@tidemark/model';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { KitError } from './kit-error.ts';

const TARGET = 'draft-2020-12';

/**
 * The JSON Schema of a tool's arguments: the author's own where one is given, else what the schema says of itself by
 * Standard JSON Schema (zod from 4.2, arktype from 2.1.28, valibot by `toStandardJsonSchema`).
 *
 * @throws KitError `kit/no-schema` when there is none, or it describes no object.
 */
export function jsonSchemaOf(tool: string, input: StandardSchemaV1, own: JsonValue | undefined): JsonValue {
  const schema = own ?? describeInput(tool, input['~standard']);
  if (typeof schema !== 'object' || schema === null || !('type' in schema) || schema.type !== 'object') {
    const message = `the arguments of ${tool} are no object, and a model can only give an object: make the schema one`;
    throw new KitError('kit/no-schema', message, { tool });
  }
  return schema;
}

function describeInput(tool: string, standard: StandardSchemaV1.Props): JsonValue {
  if (!describesItself(standard)) {
    const message =
      `the schema of ${tool} (${standard.vendor}) cannot say what it is as JSON Schema: ` +
      'give that as `schema` beside `input`, or take a release of the library that has Standard JSON Schema';
    throw new KitError('kit/no-schema', message, { tool, vendor: standard.vendor });
  }
  try {
    const { $schema: _dialect, ...rest } = standard.jsonSchema.input({ target: TARGET });
    // What a library made may hold what JSON does not; the model gets JSON.
    const plain: JsonValue = JSON.parse(JSON.stringify(rest));
    return plain;
  } catch (cause) {
    const message = `the schema of ${tool} (${standard.vendor}) cannot be written as JSON Schema: give it as \`schema\` beside \`input\``;
    throw new KitError('kit/no-schema', message, { tool, vendor: standard.vendor }, cause);
  }
}

function describesItself(
  standard: StandardSchemaV1.Props | (StandardSchemaV1.Props & StandardJSONSchemaV1.Props),
): standard is StandardSchemaV1.Props & StandardJSONSchemaV1.Props {
  return 'jsonSchema' in standard;
}
