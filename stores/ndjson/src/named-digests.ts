// Which artifacts the logs of a home name. Raw bytes are searched, not records: what a damaged line, a torn tail or a kind
// of a later build names counts as well.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LogError } from '@tidemark/log';
import { unlessGone } from './file-errors.ts';
import { openFile } from './open-file.ts';
import type { HomePaths } from './paths.ts';

const DIGEST = /[0-9a-f]{64}/g;
const OVERLAP = 63;

/**
 * Takes every digest out of `unnamed` that a log of the home names. Bounded memory: the logs are streamed.
 *
 * @throws whatever reading throws: an unread log may name anything.
 */
export async function dropNamed(paths: HomePaths, unnamed: Set<string>): Promise<void> {
  for await (const path of logFiles(paths)) {
    let rest = '';
    const handle = await openFile(path);
    for await (const chunk of handle.createReadStream({ encoding: 'latin1', highWaterMark: 1_048_576 })) {
      const text = `${rest}${String(chunk)}`;
      for (const [digest] of text.matchAll(DIGEST)) unnamed.delete(digest);
      rest = text.slice(-OVERLAP);
    }
  }
}

/** Every file of lines, a half-made one of a repair too. Never `lease.db`: see `lease.ts`. */
async function* logFiles({ sessions }: HomePaths): AsyncGenerator<string> {
  for (const room of await namesIn(sessions)) {
    const folder = join(sessions, room);
    const names = await namesIn(folder);
    const logs = names.filter((name) => name.startsWith('log.ndjson'));
    if (logs.length === 0 && names.includes('snapshot')) throw lost(folder);
    for (const name of logs) yield join(folder, name);
  }
}

/** A snapshot says that there was a log: it may come back from a backup, with names that nobody else has. */
function lost(folder: string): LogError {
  const message = `The log of the session in ${folder} is gone, so nobody can say what it names. Nothing was removed: restore the folder from a backup, or move it away.`;
  return new LogError('log/missing', message, { path: folder });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(unlessGone)) ?? [];
}
