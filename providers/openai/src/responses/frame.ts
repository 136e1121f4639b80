// A body as a frame of WebSocket mode: the same fields, tagged as the event that they are (the SDK's types: `stream` is
// implicit over WebSocket and should not be sent).

import { rawMembers } from '@tidemark/json';

/** The `response.create` of a body, each field as its bytes stand. */
export function frameOf(body: Uint8Array): string {
  const members = rawMembers(new TextDecoder().decode(body)).filter(({ key }) => key !== 'stream');
  const fields = members.map(({ key, raw }) => `,${JSON.stringify(key)}:${raw}`);
  return `{"type":"response.create"${fields.join('')}}`;
}
