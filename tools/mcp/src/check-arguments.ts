// Whether the arguments of a call are what the tool's schema asks for: the schema that the model was shown.

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { Script } from 'node:vm';
import type { JsonValue } from '@tidemark/model';

/** What is wrong with the arguments, in words; `undefined` when nothing is. */
export type ArgumentCheck = (input: object) => string | undefined;

/** @throws Error for a schema that is none. */
export function checkerOf(schema: JsonValue): ArgumentCheck {
  if (!isObject(schema)) throw new Error('it is no object');
  // One validator for each: it keeps schemas by their `$id`, and two servers may use the same.
  const validate = new AjvJsonSchemaValidator().getValidator({ ...schema });
  return (input) =>
    withinTime(() => {
      const { valid, errorMessage } = validate(input);
      return valid ? undefined : (errorMessage ?? 'they do not fit the schema');
    });
}

/** A pattern of a schema may take longer than anybody lives, and would hold this whole process meanwhile. */
const MOST_MS = 1_000;
const RUN = new Script('run()');
const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

function withinTime(check: () => string | undefined): string | undefined {
  let said: string | undefined;
  try {
    RUN.runInNewContext({ run: () => void (said = check()) }, { timeout: MOST_MS });
    return said;
  } catch (error) {
    // It is an error of the other realm.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === TIMED_OUT)
      return `a pattern of the schema could not be checked within ${MOST_MS} ms`;
    throw error;
  }
}

function isObject(schema: JsonValue): schema is { readonly [name: string]: JsonValue } {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}
