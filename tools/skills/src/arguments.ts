// The door of a tool: its arguments as a JSON Schema for the model, and as a reader for what the model sends.

import type { ToolProblem } from '@tidemark/agent';
import type { JsonValue } from '@tidemark/model';
import { z } from 'zod';

/** The JSON Schema of an object. Its bytes are part of every user's cached prefix: change them with care. */
export function schemaOf(schema: z.ZodObject): JsonValue {
  const { $schema: _, ...plain } = z.toJSONSchema(schema);
  return z.json().parse(plain);
}

/** What is wrong with arguments, and what there is. */
export function problemOf(schema: z.ZodObject, error: z.ZodError): ToolProblem {
  const said = error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
  return { problem: `${said}. It takes ${Object.keys(schema.shape).join(', ')}.` };
}
