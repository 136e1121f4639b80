// The door of a tool: its arguments as a JSON Schema for the model, and as a reader for what the model sends.

import type { ToolProblem } from '@tidemark/agent';
import type { JsonValue } from '@tidemark/model';
import { z } from 'zod';

/** Both sides of the same schema. */
export interface Arguments<T> {
  readonly schema: JsonValue;
  /** The arguments, or what is wrong with them and what there is. */
  read(input: unknown): T | ToolProblem;
}

/** Made from an object schema of zod. Its bytes are part of every user's cached prefix: change them with care. */
export function argumentsOf<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape, z.core.$strict>,
): Arguments<z.infer<typeof schema>> {
  let plain: JsonValue | undefined;
  return {
    // Written when a tool is made: whoever has no workspace does not wait for fourteen of them.
    get schema() {
      return (plain ??= plainSchema(schema));
    },
    read(input) {
      const read = schema.safeParse(input);
      return read.success
        ? read.data
        : { problem: `${issuesText(read.error)} It takes ${Object.keys(schema.shape).join(', ')}.` };
    },
  };
}

/** Whether a door answered with a problem. */
export function isProblem(value: object): value is ToolProblem {
  return 'problem' in value;
}

/** Without what no model reads, since each request would carry it: the dialect's name, and the bound of every integer. */
function plainSchema(schema: z.ZodType): JsonValue {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return z.json().parse(plain);
}

function issuesText(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ')
    .concat('.');
}
