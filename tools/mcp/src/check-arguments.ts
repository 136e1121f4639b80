// Checks the arguments of a call against the tool's schema. The schema is the version that was shown to the model.

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { Script } from 'node:vm';
import type { JsonValue } from '@tidemark/model';

/** Returns a description of the problem in the arguments. If the arguments are valid, returns `undefined`. */
export type ArgumentCheck = (input: object) => string | undefined;

/**
 * Returns the check for a schema.
 *
 * @throws Error for an invalid schema.
 */
export function checkerOf(schema: JsonValue): ArgumentCheck {
  if (!isObject(schema)) throw new Error('it is not an object');
  // Each schema has its own validator. A validator stores schemas by their `$id`, and two servers may use the same
  // `$id`.
  const validate = new AjvJsonSchemaValidator().getValidator({ ...schema });
  return (input) =>
    withinTime(() => {
      const { valid, errorMessage } = validate(input);
      return valid ? undefined : plainText(errorMessage ?? 'they do not match the schema');
    });
}

/** Replaces the validator's name for the arguments: `data/count must be number` becomes "`count` must be number". */
function plainText(message: string): string {
  return message.replaceAll(/(^|, )data(?:\/(\S+))? must /g, (_text, gap: string, path: string | undefined) =>
    path === undefined ? `${gap}they must ` : `${gap}\`${path.replaceAll('/', '.')}\` must `,
  );
}

/**
 * Maximum time for a check, in milliseconds. A pattern in a schema can take an almost endless time. It would block the
 * whole process.
 */
const MAX_MS = 1_000;
const RUN = new Script('run()');
const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

function withinTime(check: () => string | undefined): string | undefined {
  let fault: string | undefined;
  try {
    RUN.runInNewContext({ run: () => void (fault = check()) }, { timeout: MAX_MS });
    return fault;
  } catch (error) {
    // The error was created in another realm, so `instanceof Error` is false.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === TIMED_OUT)
      return `a pattern of the schema could not be checked within ${MAX_MS} ms`;
    throw error;
  }
}

function isObject(schema: JsonValue): schema is { readonly [name: string]: JsonValue } {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}
