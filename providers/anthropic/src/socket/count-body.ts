// The body of a count: the endpoint refuses what only generating needs.

import { rawMembers } from '@tidemark/core';

const COUNTED = new Set([
  'cache_control',
  'context_management',
  'mcp_servers',
  'messages',
  'model',
  'output_config',
  'speed',
  'system',
  'thinking',
  'tool_choice',
  'tools',
]);

/** The same body with the fields that `/v1/messages/count_tokens` takes, each as its bytes stand. */
export function countBody(body: Uint8Array): Uint8Array {
  const members = rawMembers(new TextDecoder().decode(body)).filter(({ key }) => COUNTED.has(key));
  const fields = members.map(({ key, raw }) => `${JSON.stringify(key)}:${raw}`);
  return new TextEncoder().encode(`{${fields.join(',')}}`);
}
