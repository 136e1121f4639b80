// Token of the server. It is made once and kept in the home, so that clients survive a restart of the server.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { makeFolder, readRegularFile } from '@tidemark/files';
import { newToken } from '@tidemark/server';

import type { CommandContext } from '../frame/command.ts';
import { TOKEN_VARIABLE } from './token-variable.ts';

/** Token of the server and its place, in words for the user. */
export interface FoundToken {
  readonly token: string;
  readonly place: string;
}

/** Returns the token in the environment, or the one in the home. If there is none, makes one that only the user can read. */
export async function findToken({ environment, home }: CommandContext): Promise<FoundToken> {
  const given = environment[TOKEN_VARIABLE];
  if (given !== undefined && given !== '') return { token: given, place: `the variable ${TOKEN_VARIABLE}` };
  const path = join(home, 'server-token');
  const kept = await readToken(path).catch(unlessMissing);
  if (kept !== undefined) return { token: kept, place: path };
  await makeFolder(home, 0o700);
  const token = newToken();
  try {
    await writeFile(path, `${token}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // Another server made one at the same moment.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return { token: await readToken(path), place: path };
  }
  return { token, place: path };
}

/** Largest file of a token, in bytes. */
const MOST = 4_096;

async function readToken(path: string): Promise<string> {
  return (await readRegularFile(path, { most: MOST })).toString('utf8').trim();
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
