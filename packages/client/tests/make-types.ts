// Writes the types of the client from the OpenAPI document of the server.
//
// - `npm run client` writes `packages/client/src/generated/server-api.ts`.
// - With `-`, the program prints the file. A test compares it with the stored one.

import { openSessionProjection } from '@tidemark/analytics';
import { createMemoryStore } from '@tidemark/kit';
import { newToken, openSessionServer } from '@tidemark/server';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

/** Path of the stored file. */
export const TYPES_FILE: string = fileURLToPath(new URL('../src/generated/server-api.ts', import.meta.url));

const HEADER = `// Types of the requests and answers of the server. Made by \`npm run client\` from its OpenAPI document.

`;

/** Imports of the types in \`OWN_TYPES\`. */
const IMPORTS = `import type { Question, SessionEvent, SessionMessage } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
`;

/** Components whose exact types this repository declares. The document describes only their common fields. */
const OWN_TYPES: ReadonlyMap<string, string> = new Map([
  ['LogRecord', 'Recorded'],
  ['Question', 'Question'],
  ['SessionMessage', 'SessionMessage'],
  [
    'PassingEvent',
    "Exclude<SessionEvent, { readonly type: 'recorded' | 'tool.threw' }> | components['schemas']['QuestionEvent']",
  ],
]);

if (import.meta.main) {
  const text = await makeTypes();
  if (process.argv[2] === '-') process.stdout.write(text);
  else {
    await mkdir(dirname(TYPES_FILE), { recursive: true });
    await writeFile(TYPES_FILE, text);
    console.log(TYPES_FILE);
  }
}

async function makeTypes(): Promise<string> {
  const document = await readDocument();
  const nodes = await openapiTS(document, {
    alphabetize: true,
    inject: IMPORTS,
    transform(_schema, { path = '' }) {
      const type = OWN_TYPES.get(/^#\/components\/schemas\/(\w+)$/.exec(path)?.[1] ?? '');
      return type === undefined ? undefined : ts.factory.createTypeReferenceNode(type);
    },
  });
  return `${HEADER}${astToString(nodes).trim()}\n`;
}

/** Reads the document of a server without sessions. */
async function readDocument(): Promise<Parameters<typeof openapiTS>[0] & object> {
  const refuse = (): Promise<never> => Promise.reject(new Error('this server opens no session'));
  const token = newToken();
  const log = createMemoryStore();
  const server = await openSessionServer({
    log,
    projection: await openSessionProjection({ path: undefined, log, rowOf: () => undefined, rules: '' }),
    opener: { create: refuse, open: refuse, fork: refuse },
    token,
    version: '',
    port: 0,
  });
  try {
    const answer = await fetch(`${server.url}/openapi.json`, { headers: { authorization: `Bearer ${token}` } });
    return JSON.parse(await answer.text());
  } finally {
    await server.close();
  }
}
