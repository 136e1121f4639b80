// Whether the arguments of a call are what the tool's schema asks for: the schema that the model was shown.

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonValue } from '@tidemark/model';

/** What is wrong with the arguments, in words; `undefined` when nothing is. */
export type ArgumentCheck = (input: object) => string | undefined;

/** @throws Error for a schema that is none. */
export function checkerOf(schema: JsonValue): ArgumentCheck {
  if (!isObject(schema)) throw new Error('it is no object');
  // One validator for each: it keeps schemas by their `$id`, and two servers may use the same.
  const validate = new AjvJsonSchemaValidator().getValidator({ ...schema });
  return (input) => {
    const { valid, errorMessage } = validate(input);
    return valid ? undefined : (errorMessage ?? 'they do not fit the schema');
  };
}

function isObject(schema: JsonValue): schema is { readonly [name: string]: JsonValue } {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}
