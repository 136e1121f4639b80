// Arguments of the web tools. Provides a JSON Schema for the model, and describes errors in the arguments that the model
// sends.

import type { ToolContext, ToolProblem } from '@tidemark/agent';
import { describeIssues } from '@tidemark/agent';
import type { JsonValue } from '@tidemark/model';
import { z } from 'zod';

import { WebError } from './web-error.ts';

/**
 * Returns the JSON Schema of an object, without the maximum that zod adds to every integer. Its bytes are part of every
 * user's cached prefix.
 */
export function jsonSchemaOf(schema: z.ZodObject): JsonValue {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return z.json().parse(plain);
}

/** Returns a problem that describes the errors in the arguments and lists the names of the valid arguments. */
export function argumentProblem(schema: z.ZodObject, error: z.ZodError, input: unknown): ToolProblem {
  const problem = describeIssues(error.issues, jsonSchemaOf(schema), input);
  return { problem: `${problem}. The arguments are ${Object.keys(schema.shape).join(', ')}.` };
}

/**
 * Checks that a text which leaves this machine contains no secret of the session, also if it is percent-encoded.
 *
 * @throws WebError `web/secret`.
 */
export async function requireNoSecret(text: string, name: string, { mask }: Pick<ToolContext, 'mask'>): Promise<void> {
  for (const form of new Set([text, decoded(text)])) {
    if ((await mask(form)) === form) continue;
    const message = `The ${name} contains a secret of this session, so nothing was sent. Call again without the secret. If the user wants it sent, the user has to do that.`;
    throw new WebError('web/secret', message);
  }
}

function decoded(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
