// Which artifacts the logs of a home name. Raw bytes are searched, not records: what a damaged line, a torn tail or a kind
// of a later build names counts as well.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
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
    for (const name of await namesIn(join(sessions, room))) {
      if (name.startsWith('log.ndjson')) yield join(sessions, room, name);
    }
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(unlessGone)) ?? [];
}
