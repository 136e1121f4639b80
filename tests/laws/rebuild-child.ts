// Process that rebuilds the requests of a session from its home and prints the result as one line of JSON.
// `node rebuild-child.ts <home> <session>`

import { rebuildSession, verifySession } from '@tidemark/agent';
import { sessionId } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { encoders } from './server.ts';

const [home = '', name = ''] = process.argv.slice(2);
const log = openNdjsonStore({ home });
const session = sessionId(name);
const digests: string[] = [];
for await (const step of rebuildSession(log, session, { encoders }))
  if (step.type === 'request') digests.push(step.rebuilt.digest);
const { differences, breaks, records } = await verifySession(log, session, { encoders });
process.stdout.write(`${JSON.stringify({ digests, differences, breaks, records })}\n`);
