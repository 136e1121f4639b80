// Texts that the sessions of a home leave for each other. They are derived: one that is lost or cut is as good as none (L9), so
// nothing is flushed, and a reader asks for no lock.

import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '@tidemark/files';
import type { SharedTexts } from '@tidemark/log';
import type { Folders } from './durable-folder.ts';
import type { HomePaths } from './paths.ts';

/** Largest text that is read. */
const MOST_BYTES = 16 * 1_024 * 1_024;

/** The texts of a home. */
export function createSharedTexts({ shared }: HomePaths, folders: Folders): SharedTexts {
  return {
    async get(name) {
      const bytes = await readRegularFile(join(shared, name), { most: MOST_BYTES }).catch(() => undefined);
      return bytes?.toString('utf8');
    },
    async put(name, text) {
      await folders.make(shared);
      const temporary = join(shared, `.incoming-${randomUUID()}`);
      try {
        await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
        await rename(temporary, join(shared, name));
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}
