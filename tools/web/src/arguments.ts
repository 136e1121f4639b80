// Arguments of the web tools. Provides a JSON Schema for the model, and describes errors in the arguments that the model
// sends.

import type { ToolProblem } from '@tidemark/agent';
import { describeIssues } from '@tidemark/agent';
import type { JsonValue } from '@tidemark/model';
import { z } from 'zod';

/**
 * Returns the JSON Schema of an object, without the maximum that zod adds to every integer. Its bytes are part of every
 * user's cached prefix.
 */
export function schemaOf(schema: z.ZodObject): JsonValue {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return z.json().parse(plain);
}

/** Returns a problem that describes the errors in the arguments and lists the names of the valid arguments. */
export function problemOf(schema: z.ZodObject, error: z.ZodError, input: unknown): ToolProblem {
  const problem = describeIssues(error.issues, schemaOf(schema), input);
  return { problem: `${problem}. The arguments are ${Object.keys(schema.shape).join(', ')}.` };
}
