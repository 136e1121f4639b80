// Texts that the sessions of a home leave for each other. They are derived: one that is lost or cut is as good as none (L9), so
// nothing is flushed, and a reader asks for no lock.

import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SharedTexts } from '@tidemark/log';
import type { Folders } from './durable-folder.ts';
import type { HomePaths } from './paths.ts';

/** The texts of a home. */
export function createSharedTexts({ shared }: HomePaths, folders: Folders): SharedTexts {
  return {
    async get(name) {
      return readFile(join(shared, name), 'utf8').catch(() => undefined);
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
