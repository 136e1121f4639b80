// Adds an MCP server to a configuration file, or removes one. All other settings of the file keep their values and
// their order. The file is replaced in one step.

import { randomUUID } from 'node:crypto';
import { lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { FileError, makeFolder, readRegularFile } from '@tidemark/files';
import { parseJson } from '@tidemark/log';
import { applyEdits, modify } from 'jsonc-parser';

import { ownConfigurationPaths, parseConfiguration } from './read-configuration.ts';
import type { ServerSetting } from './server-settings.ts';
import { serversIn } from './server-settings.ts';
import { settingsSchema } from './settings.ts';
import { SettingsError } from './settings-error.ts';
import { CONFIGURATION_PATH } from './workspace-contents.ts';

/** Configuration to edit: the user's own, a file that replaces it, or the configuration of a workspace. */
export type ServerScope =
  | { readonly kind: 'user'; readonly folder: string; readonly file?: string | undefined }
  | { readonly kind: 'workspace'; readonly workspace: string };

/**
 * Returns the servers in a JSON configuration. For a TypeScript configuration, or if there is no file, returns an empty
 * record.
 *
 * @throws SettingsError as `editServers` does.
 */
export async function serversInFile(
  scope: ServerScope,
  providers: readonly string[],
): Promise<Readonly<Record<string, ServerSetting>>> {
  const path =
    scope.kind === 'workspace' ? await workspacePath(scope.workspace) : (scope.file ?? (await ownPath(scope.folder)));
  const text = path.endsWith('.json') ? await textIfThere(path) : undefined;
  if (text === undefined) return {};
  parseConfiguration(text, path, settingsSchema(providers));
  return serversIn(parseJson(text));
}

/** Result of an edit. */
export interface EditedServers {
  /** Path of the edited file. */
  readonly path: string;
  /** Setting of the server before the edit. Absent if there was none. */
  readonly before?: ServerSetting;
}

/** Maximum size of a configuration, in bytes. */
const MAX_BYTES = 16 * 1_024 * 1_024;

/**
 * Sets the server `name` in a configuration. Without a setting, removes the server. If the file does not exist, it is
 * created. Removing a server that is not in the file changes nothing.
 *
 * @throws SettingsError `settings/not-editable` for a TypeScript file and for a link in a workspace. Also the errors of
 *   `readSettings` for a file that is invalid before or after the edit. The file is then unchanged.
 */
export async function editServers(
  scope: ServerScope,
  name: string,
  { setting, providers }: { readonly setting?: ServerSetting; readonly providers: readonly string[] },
): Promise<EditedServers> {
  const path = await pathOf(scope, name, setting);
  const schema = settingsSchema(providers);
  const text = await textIfThere(path);
  if (text !== undefined) parseConfiguration(text, path, schema);
  const servers = text === undefined ? {} : serversIn(parseJson(text));
  const before = Object.hasOwn(servers, name) ? servers[name] : undefined;
  const found = before === undefined ? {} : { before };
  if (setting === undefined && before === undefined) return { path };
  const edited = editedText(text ?? '{}\n', name, setting);
  parseConfiguration(edited, path, schema);
  await replaceFile(path, edited);
  return { path, ...found };
}

function editedText(text: string, name: string, setting: ServerSetting | undefined): string {
  const indented = /^(\t| +)"/m.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indented.startsWith('\t'),
    tabSize: indented.startsWith('\t') ? 1 : indented.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  const edits = modify(text, ['mcp', 'servers', name], setting, { formattingOptions });
  const edited = applyEdits(text, edits);
  return edited.endsWith('\n') ? edited : `${edited}\n`;
}

async function pathOf(scope: ServerScope, name: string, setting: ServerSetting | undefined): Promise<string> {
  if (scope.kind === 'workspace') return workspacePath(scope.workspace);
  const path = scope.file ?? (await ownPath(scope.folder));
  if (path.endsWith('.json')) return path;
  const change =
    setting === undefined
      ? `remove ${JSON.stringify(name)} from \`mcp.servers\``
      : `add this to \`mcp.servers\`: ${JSON.stringify(name)}: ${JSON.stringify(setting)}`;
  throw new SettingsError('settings/not-editable', `${path} is a program and is not edited: ${change}`, { path });
}

async function ownPath(folder: string): Promise<string> {
  const [only, other] = await ownConfigurationPaths(folder);
  if (only !== undefined && other !== undefined)
    throw new SettingsError(
      'settings/unreadable',
      `there are two configuration files, ${only} and ${other}: remove one`,
    );
  return only ?? join(folder, 'tidemark.config.json');
}

/** Returns the path of the configuration of a workspace. Refuses a link, because it can lead out of the workspace. */
async function workspacePath(workspace: string): Promise<string> {
  const path = join(await realpath(workspace), CONFIGURATION_PATH);
  for (const each of [dirname(path), path]) {
    const stats = await lstat(each).catch(() => undefined);
    if (stats?.isSymbolicLink() !== true) continue;
    const message = `${each} is a link and is not edited: replace it with ${each === path ? 'a file' : 'a folder'}`;
    throw new SettingsError('settings/not-editable', message, { path: each });
  }
  return path;
}

async function textIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path, { most: MAX_BYTES })).toString('utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    const reason =
      error instanceof FileError ? `it ${error.what}` : error instanceof Error ? error.message : String(error);
    throw new SettingsError('settings/unreadable', `${path} cannot be used: ${reason}`, { path }, error);
  }
}

/** Replaces a file in one step and keeps its mode. If the path is a link of the user, its target is replaced. */
async function replaceFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  const target = await realpath(path).catch(() => path);
  const mode = (await stat(target).catch(() => undefined))?.mode ?? 0o600;
  const next = `${target}.${randomUUID()}`;
  try {
    await writeFile(next, text, { mode: mode & 0o777, flush: true, flag: 'wx' });
    await rename(next, target);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}
