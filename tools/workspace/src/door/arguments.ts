// Tool arguments. Provides their JSON Schema for the model, and parses the arguments that the model sends.

import type { ToolProblem } from '@tidemark/agent';
import { describeIssues } from '@tidemark/agent';
import type { JsonValue } from '@tidemark/model';
import { z } from 'zod';

/** JSON Schema of the arguments and the parser for the same schema. */
export interface Arguments<T> {
  readonly schema: JsonValue;
  /** Returns the parsed arguments, or a problem that lists the errors and the names of the known arguments. */
  read(input: unknown): T | ToolProblem;
}

/**
 * Creates the arguments of a tool from a zod object schema. The bytes of the JSON Schema are part of every user's
 * cached prefix, so change the schema only with care.
 */
export function argumentsOf<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape, z.core.$strict>,
): Arguments<z.infer<typeof schema>> {
  let plain: JsonValue | undefined;
  // The schema is computed when it is needed for the first time. A process without a workspace does not compute the
  // schemas of fourteen tools.
  const jsonSchema = (): JsonValue => (plain ??= plainSchema(schema));
  return {
    get schema() {
      return jsonSchema();
    },
    read(input) {
      const read = schema.safeParse(input);
      if (read.success) return read.data;
      const problem = describeIssues(read.error.issues, jsonSchema(), input);
      return { problem: `${problem}. The arguments are ${Object.keys(schema.shape).join(', ')}.` };
    },
  };
}

/** Returns true if the value is a problem instead of parsed arguments. */
export function isProblem(value: object): value is ToolProblem {
  return 'problem' in value;
}

/**
 * Returns the JSON Schema without two details: the name of the dialect, and the maximum that zod adds to every integer.
 * They are useless to a model but would be sent in every request.
 */
function plainSchema(schema: z.ZodType): JsonValue {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return z.json().parse(plain);
}
