// What the user said of each workspace: kept in the home, outside of every workspace, by real path and digest. One small file
// for each, so that two processes at work cannot undo each other's revocation.

import { createHash, randomUUID } from 'node:crypto';
import { readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';

import { makeFolder } from '@tidemark/files';
import { parseJson } from '@tidemark/log';
import { z } from 'zod';

import type { WorkspaceContents } from './workspace-contents.ts';
import { readOwnFile } from './own-file.ts';
import { SettingsError } from './settings-error.ts';

/** What the user said. */
export type TrustDecision = 'trusted' | 'declined';

/** What stands of one workspace. */
export interface TrustRecord {
  /** Real and absolute. */
  readonly workspace: string;
  readonly decision: TrustDecision;
  /** Digest of the workspace's contents at the time of the decision (`workspace-contents.ts`). */
  readonly digest: string;
  /** ISO 8601, in UTC. */
  readonly at: string;
}

/** `changed`: it was trusted, and now brings something else. `unknown`: nothing was said of what it brings. */
export type TrustState = TrustDecision | 'changed' | 'unknown';

/** What was said of what a workspace brings now. @throws SettingsError `settings/trust-damaged`. */
export async function judgeTrust(home: string, { workspace, digest }: WorkspaceContents): Promise<TrustState> {
  if (!(await canKeepTrust(home, workspace))) return 'unknown';
  const record = await readRecord(pathOf(home, workspace));
  if (record === undefined || record.workspace !== workspace) return 'unknown';
  if (record.digest === digest) return record.decision;
  return record.decision === 'trusted' ? 'changed' : 'unknown';
}

/**
 * Returns false where the workspace holds the home, or where the folder of the records is a link into the workspace: the author of
 * the workspace could have made the record.
 */
export async function canKeepTrust(home: string, workspace: string): Promise<boolean> {
  return !(await liesInside(home, workspace)) && !(await liesInside(join(home, FOLDER), workspace));
}

/** Whether a path lies in a workspace, links followed: what lies there is as trusted as the workspace is, and no more. */
export async function liesInside(path: string, workspace: string): Promise<boolean> {
  const [real, folder] = [await realOf(resolve(path)), await realOf(resolve(workspace))];
  return real === folder || real.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Keeps what the user says of what a workspace brings now. @throws SettingsError `settings/trust-inside`. */
export async function recordTrust(
  home: string,
  { workspace, digest }: WorkspaceContents,
  { decision, at }: Pick<TrustRecord, 'decision' | 'at'>,
): Promise<void> {
  if (!(await canKeepTrust(home, workspace)))
    throw new SettingsError(
      'settings/trust-inside',
      `${home}, where trust is kept, lies in the workspace ${workspace}: what lies there cannot vouch for it`,
    );
  const path = pathOf(home, workspace);
  const record: TrustRecord = { workspace, decision, digest, at };
  await makeFolder(dirname(path), 0o700);
  const next = `${path}.${randomUUID()}`;
  await writeFile(next, `${JSON.stringify({ revision: 1, ...record })}\n`, { mode: 0o600, flush: true });
  await rename(next, path);
}

/** Forgets what was said of a folder, which need not be there any more. Whether anything was. */
export async function revokeTrust(home: string, folder: string): Promise<boolean> {
  const workspace = await realpath(folder).catch(() => resolve(folder));
  const path = pathOf(home, workspace);
  const known = (await filesIn(home)).includes(basename(path));
  await rm(path, { force: true });
  return known;
}

/** What was said of every workspace, by path. @throws SettingsError `settings/trust-damaged`. */
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

/** A link would let a file from elsewhere vouch for a workspace, and so would a file that another user can write. */
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
  return new SettingsError('settings/trust-damaged', `${path} ${why}: nothing is trusted by it`, { path }, cause);
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
