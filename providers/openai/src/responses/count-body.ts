// The body of a count: the endpoint takes what the model reads, and not what only generating needs.

import { rawMembers } from '@tidemark/core';

/** Fields of `POST /responses/input_tokens` (SDK 7.55). */
const COUNTED = new Set([
  'input',
  'model',
  'parallel_tool_calls',
  'personality',
  'reasoning',
  'text',
  'tool_choice',
  'tools',
]);

/** The same body with the fields that a count takes, each as its bytes stand. */
export function countBody(body: Uint8Array): Uint8Array {
  const members = rawMembers(new TextDecoder().decode(body)).filter(({ key }) => COUNTED.has(key));
  const fields = members.map(({ key, raw }) => `${JSON.stringify(key)}:${raw}`);
  return new TextEncoder().encode(`{${fields.join(',')}}`);
}
