// Starts the chat. Without a key, a simulator answers.

import { openNdjsonStore } from '@tidemark/kit';
import { newToken } from '@tidemark/server';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createChatOpener } from './chat-agent.ts';
import { openChatServer } from './chat-server.ts';
import { startSimulatedModel } from './simulated-model.ts';

const folder = resolve(process.env['CHAT_FOLDER'] ?? join(import.meta.dirname, '..', '.tidemark'));
const environment = process.env;
const model =
  environment['ANTHROPIC_API_KEY'] === undefined
    ? await startSimulatedModel(Number(environment['CHAT_PIECE_MS'] ?? 60))
    : { host: { environment } };

await mkdir(folder, { recursive: true, mode: 0o700 });
const log = openNdjsonStore({ home: folder });
const { link } = await openChatServer({
  log,
  opener: createChatOpener({ log, bookings: join(folder, 'bookings.txt'), ...model }),
  token: await keptToken(join(folder, 'token')),
  port: Number(environment['PORT'] ?? 3210),
});
console.log(`open once within ten minutes: ${link}`);

// A deploy stops the process as a crash does, and needs no other code. The log has no end of a running turn then, so the
// next process knows that no person interrupted it.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));

/** Returns the token in the file, or makes one that only this user can read. */
async function keptToken(path: string): Promise<string> {
  await writeFile(path, newToken(), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(path, 'utf8');
}
