// Sends a prompt to a server of sessions and prints the answer as it arrives. It is shown in the guide on the server.

import { answerOf, createSessionClient, followSession } from '@tidemark/client';

const [url = '', session = '', text = ''] = process.argv.slice(2);
const client = createSessionClient({ url, token: process.env['TIDEMARK_SERVER_TOKEN'] ?? '' });
const params = { path: { session } };

const { position } = await answerOf(client.POST('/sessions/{session}/prompt', { params, body: { text } }));
for await (const event of followSession(client, session, { from: position })) {
  if (event.type === 'lost') console.log(`connection lost, next try in ${event.pauseMs} ms`);
  if (event.type !== 'record') continue;
  const { kind, data } = event.record;
  if (kind === 'answer.received') for (const part of data.parts) if (part.type === 'text') console.log(part.text);
  if (kind === 'turn.ended') {
    console.log(`the turn is ${data.outcome}`);
    break;
  }
}
