// Project grants: calls that the user allowed for every session of a workspace. Each workspace has one file. The files
// are in the home and never in the workspace.

import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import type { ProjectGrants } from '@tidemark/agent';
import type { Granted } from '@tidemark/log';
import { parseJson } from '@tidemark/log';
import { z } from 'zod';

import { withLock } from './file-lock.ts';
import { readOwnFile, replaceOwnFile, workspaceFile } from './own-file.ts';
import { SettingsError } from './settings-error.ts';
import { canKeepTrust, liesInside } from './trust.ts';

/** A grant, and the time when it was given. */
export interface GrantRecord {
  readonly grant: Granted;
  /** Time as ISO 8601 in UTC. */
  readonly at: string;
}

/**
 * Opens the grants of a workspace. The file is read again at each access. If the home or its folder of trust records is
 * inside the workspace, returns `undefined`. In that case, anyone who can write to the workspace could also write
 * grants.
 *
 * @throws SettingsError `settings/grants-damaged` when the file cannot be used.
 */
export async function openGrants(home: string, workspace: string): Promise<ProjectGrants | undefined> {
  if (!(await canKeepTrust(home, workspace))) return undefined;
  await listGrants(home, workspace);
  return {
    kept: async () => (await listGrants(home, workspace)).map(({ grant }) => grant),
    keep: (grant) => keepGrant(home, workspace, { grant, at: new Date().toISOString() }),
  };
}

/**
 * Returns the grants of a workspace in the order in which they were given.
 *
 * @throws SettingsError `settings/grants-damaged`.
 */
export async function listGrants(home: string, workspace: string): Promise<readonly GrantRecord[]> {
  if (!(await canKeepTrust(home, workspace))) return [];
  const folder = await realOf(workspace);
  return readRecords(pathOf(home, folder), folder);
}

/**
 * Stores one more grant. If the grant is already stored, nothing changes.
 *
 * @throws SettingsError `settings/grants-inside`, `settings/grants-damaged`, `settings/no-lock`.
 */
export async function keepGrant(home: string, workspace: string, record: GrantRecord): Promise<void> {
  if (!(await canKeepTrust(home, workspace)))
    throw new SettingsError(
      'settings/grants-inside',
      `grants cannot be stored in ${home}, because it is inside the workspace ${workspace}`,
    );
  await change(home, workspace, (records) =>
    records.some((one) => isSame(one.grant, record.grant)) ? records : [...records, record],
  );
}

/**
 * Revokes the chosen grants and returns them. `isChosen` gets each grant with its index in the list. After that, open
 * sessions ask the user again.
 *
 * @throws SettingsError `settings/grants-damaged` when the file cannot be used, `settings/no-lock` when another process
 * holds the lock of the file.
 */
export async function revokeGrants(
  home: string,
  workspace: string,
  isChosen: (record: GrantRecord, index: number) => boolean,
): Promise<readonly GrantRecord[]> {
  if (!(await canKeepTrust(home, workspace))) return [];
  let revoked: readonly GrantRecord[] = [];
  await change(home, workspace, (records) => {
    revoked = records.filter(isChosen);
    return records.filter((record) => !revoked.includes(record));
  });
  return revoked;
}

const texts = z.array(z.string());

const fileSchema = z.strictObject({
  revision: z.literal(1),
  workspace: z.string(),
  grants: z.array(
    z.strictObject({
      at: z.string(),
      grant: z.strictObject({
        tool: z.string().min(1),
        commands: z.exactOptional(z.array(texts)),
        patterns: z.exactOptional(texts),
        scripts: z.exactOptional(
          z.array(z.strictObject({ text: z.string(), unsandboxed: z.exactOptional(z.literal(true)) })),
        ),
        paths: z.exactOptional(texts),
        folders: z.exactOptional(texts),
        hosts: z.exactOptional(texts),
      }),
    }),
  ),
});

async function change(
  home: string,
  workspace: string,
  next: (records: readonly GrantRecord[]) => readonly GrantRecord[],
): Promise<void> {
  const folder = await realOf(workspace);
  const path = pathOf(home, folder);
  // Refuses a folder that is a link into the workspace. This must happen before `withLock` creates its lock file there.
  await readRecords(path, folder);
  await withLock(path, async () => {
    const before = await readRecords(path, folder);
    const after = next(before);
    if (after === before || (after.length === 0 && before.length === 0)) return;
    await replaceOwnFile(path, `${JSON.stringify({ revision: 1, workspace: folder, grants: after }, undefined, 1)}\n`);
  });
}

/**
 * Reads the grants of a workspace. Refuses a link, because a file or folder outside the home could then give grants.
 * Refuses a file that another user can write, because that user could give grants.
 */
async function readRecords(path: string, workspace: string): Promise<readonly GrantRecord[]> {
  if (await liesInside(dirname(path), workspace)) throw damageError(dirname(path), `is a link into ${workspace}`);
  try {
    const { text, problem } = await readOwnFile(path);
    if (problem !== undefined) throw damageError(path, problem);
    if (text === undefined) return [];
    const file = fileSchema.parse(parseJson(text));
    return file.workspace === workspace ? file.grants : [];
  } catch (error) {
    throw error instanceof SettingsError ? error : damageError(path, 'cannot be read', error);
  }
}

function damageError(path: string, why: string, cause?: unknown): SettingsError {
  return new SettingsError('settings/grants-damaged', `${path} ${why}: its grants are not used`, { path }, cause);
}

function pathOf(home: string, workspace: string): string {
  return workspaceFile(home, 'grants', workspace);
}

/** Returns the real path of a workspace. If the workspace no longer exists, returns the given path. */
async function realOf(workspace: string): Promise<string> {
  return realpath(workspace).catch(() => resolve(workspace));
}

function isSame(a: Granted, b: Granted): boolean {
  const parts = ({ tool, commands, patterns, scripts, paths, folders, hosts }: Granted): string =>
    JSON.stringify([tool, commands, patterns, scripts, paths, folders, hosts]);
  return parts(a) === parts(b);
}
