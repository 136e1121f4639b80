// First screen: at most four lines about the program, the folder and the keys, in a new session that has no lines yet.

import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import type { FolderTrust } from '../settings/folder-trust.ts';

/** Facts for the first screen. */
export interface FirstScreen {
  readonly version: string;
  readonly model: string;
  /** True if a simulator answers. */
  readonly isSimulated: boolean;
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Absolute path of the user's own folder. */
  readonly userFolder?: string | undefined;
  readonly trust: FolderTrust;
  /** True if the process has the rights of root. */
  readonly isRoot: boolean;
}

/** Returns the lines of the first screen. */
export function firstScreen(facts: FirstScreen): readonly Shown[] {
  const { version, model, isSimulated, folder, userFolder, trust, isRoot } = facts;
  return [
    [
      withStyle('bold', 'Tidemark'),
      ` ${version}`,
      withStyle('dim', ` · ${model}${isSimulated ? ', answers of a simulator' : ''}`),
    ],
    [shortFolder(folder, userFolder), withStyle('dim', TRUST[trust])],
    ...(isRoot
      ? [[withStyle('yellow', 'root'), withStyle('dim', ': commands can write to every file that no mount covers')]]
      : []),
    withStyle('dim', '/ for commands · ? for keys'),
  ];
}

const TRUST: Readonly<Record<FolderTrust, string>> = {
  trusted: ', trusted',
  untrusted: ', not trusted, so its settings are not used: `tidemark trust`',
  nothing: ', no settings of its own',
};

function shortFolder(folder: string, userFolder = ''): string {
  if (userFolder === '' || userFolder === '/') return folder;
  return folder === userFolder || folder.startsWith(`${userFolder}/`) ? `~${folder.slice(userFolder.length)}` : folder;
}
