// Trust decisions of the user, one per workspace. They are stored in the home, outside every workspace, with the real
// path and the digest of the workspace. Each decision has its own small file. Therefore two processes that write at the
// same time cannot undo each other's revocation.

import { createHash, randomUUID } from 'node:crypto';
import { readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';

import { makeFolder } from '@tidemark/files';
import { parseJson } from '@tidemark/log';
import { z } from 'zod';

import type { WorkspaceContents } from './workspace-contents.ts';
import { readOwnFile } from './own-file.ts';
import { SettingsError } from './settings-error.ts';

/** Decision of the user about a workspace. */
export type TrustDecision = 'trusted' | 'declined';

/** Recorded decision about one workspace. */
export interface TrustRecord {
  /** Real, absolute path of the workspace. */
  readonly workspace: string;
  readonly decision: TrustDecision;
  /** Digest of the workspace's contents at the time of the decision (`workspace-contents.ts`). */
  readonly digest: string;
  /** Time as ISO 8601 in UTC. */
  readonly at: string;
}

/**
 * State of trust of a workspace. `changed`: the workspace was trusted, but its contents have changed since then.
 * `unknown`: there is no decision about its current contents.
 */
export type TrustState = TrustDecision | 'changed' | 'unknown';

/** Returns the decision about the current contents of a workspace. @throws SettingsError `settings/trust-damaged`. */
export async function judgeTrust(home: string, { workspace, digest }: WorkspaceContents): Promise<TrustState> {
  if (!(await canKeepTrust(home, workspace))) return 'unknown';
  const record = await readRecord(pathOf(home, workspace));
  if (record === undefined || record.workspace !== workspace) return 'unknown';
  if (record.digest === digest) return record.decision;
  return record.decision === 'trusted' ? 'changed' : 'unknown';
}

/**
 * Returns false if the workspace contains the home, or if the folder of the records is a link into the workspace. In
 * both cases the author of the workspace could have written the record.
 */
export async function canKeepTrust(home: string, workspace: string): Promise<boolean> {
  return !(await liesInside(home, workspace)) && !(await liesInside(join(home, FOLDER), workspace));
}

/**
 * Returns true if a path, after links are followed, is the workspace or is inside it. Files at such a path must not
 * have more trust than the workspace.
 */
export async function liesInside(path: string, workspace: string): Promise<boolean> {
  const [real, folder] = [await realOf(resolve(path)), await realOf(resolve(workspace))];
  return real === folder || real.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/**
 * Records the user's decision about the current contents of a workspace. @throws SettingsError `settings/trust-inside`.
 */
export async function recordTrust(
  home: string,
  { workspace, digest }: WorkspaceContents,
  { decision, at }: Pick<TrustRecord, 'decision' | 'at'>,
): Promise<void> {
  if (!(await canKeepTrust(home, workspace)))
    throw new SettingsError(
      'settings/trust-inside',
      `trust cannot be stored in ${home}, because it is inside the workspace ${workspace}, which could then trust itself`,
    );
  const path = pathOf(home, workspace);
  const record: TrustRecord = { workspace, decision, digest, at };
  await makeFolder(dirname(path), 0o700);
  const next = `${path}.${randomUUID()}`;
  await writeFile(next, `${JSON.stringify({ revision: 1, ...record })}\n`, { mode: 0o600, flush: true });
  await rename(next, path);
}

/** Deletes the decision about a folder. The folder may no longer exist. Returns true if a decision was stored. */
export async function revokeTrust(home: string, folder: string): Promise<boolean> {
  const workspace = await realpath(folder).catch(() => resolve(folder));
  const path = pathOf(home, workspace);
  const known = (await filesIn(home)).includes(basename(path));
  await rm(path, { force: true });
  return known;
}

/** Returns the decisions about all workspaces, sorted by path. @throws SettingsError `settings/trust-damaged`. */
export async function listTrust(home: string): Promise<readonly TrustRecord[]> {
  const files = await filesIn(home);
  const records = await Promise.all(files.map((file) => readRecord(join(home, FOLDER, file))));
  return records.filter((record) => record !== undefined).toSorted((a, b) => (a.workspace < b.workspace ? -1 : 1));
}

const FOLDER = 'trust';

const recordSchema = z.object({
  revision: z.literal(1),
  workspace: z.string(),
  decision: z.enum(['trusted', 'declined']),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.string(),
});

function pathOf(home: string, workspace: string): string {
  return join(home, FOLDER, `${createHash('sha256').update(workspace).digest('hex')}.json`);
}

async function filesIn(home: string): Promise<readonly string[]> {
  try {
    return (await readdir(join(home, FOLDER))).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/**
 * Reads a trust record. Refuses a link, because a file from another place could then declare a workspace trusted.
 * Refuses a file that another user can write, for the same reason.
 */
async function readRecord(path: string): Promise<TrustRecord | undefined> {
  try {
    const { text, problem } = await readOwnFile(path);
    if (problem !== undefined) throw damageError(path, problem);
    if (text === undefined) return undefined;
    const { workspace, decision, digest, at } = recordSchema.parse(parseJson(text));
    return { workspace, decision, digest, at };
  } catch (error) {
    throw error instanceof SettingsError ? error : damageError(path, 'cannot be read', error);
  }
}

function damageError(path: string, why: string, cause?: unknown): SettingsError {
  return new SettingsError('settings/trust-damaged', `${path} ${why}: its decision is not used`, { path }, cause);
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isAbsent(error) || dirname(path) === path) throw error;
    return join(await realOf(dirname(path)), basename(path));
  }
}
