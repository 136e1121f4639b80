// Ports of the editor: what it reads and writes outside of the terminal.

import { createSecrets, secretsOf } from '@tidemark/agent';
import { workspaceFiles } from '@tidemark/kit';

import type { CommandContext } from '../../frame/command.ts';
import type { CompletionCommand, CompletionLists } from './completion/create-completer.ts';
import type { ClipboardResult } from './sources/clipboard-image.ts';
import { clipboardPrograms, readClipboardImage } from './sources/clipboard-image.ts';
import type { ExternalEdit } from './sources/external-editor.ts';
import { editOutside } from './sources/external-editor.ts';
import type { KeptDraft } from './sources/kept-draft.ts';
import { openKeptDraft } from './sources/kept-draft.ts';
import type { PromptHistory } from './sources/prompt-history.ts';
import { openPromptHistory } from './sources/prompt-history.ts';

/** Ports of the editor. */
export interface EditorPorts {
  readonly history: PromptHistory;
  readonly draft: KeptDraft;
  readonly lists: CompletionLists;
  /** Home folder of the user. */
  readonly userFolder: string;
  clipboardImage(): Promise<ClipboardResult>;
  /** Opens the text in the editor of the user. It has the terminal until it ends. */
  editOutside(text: string): Promise<ExternalEdit>;
  /** Current time, in milliseconds. */
  now(): number;
}

/** Sources of the ports. */
export interface PortSources {
  readonly context: Pick<CommandContext, 'environment' | 'home' | 'userFolder'>;
  /** Returns the folder in which the shown session works. */
  workspace(): string;
  /** Returns the slash commands. */
  commands(): readonly CompletionCommand[];
}

/** Maximum number of files that are completed. */
const MAX_FILES = 50_000;

/** Creates the ports of an editor for a user. */
export function createEditorPorts({ context, workspace, commands }: PortSources): EditorPorts {
  const { environment, home, userFolder } = context;
  const secrets = createSecrets({ values: secretsOf(environment) });
  return {
    history: openPromptHistory({ home, mask: secrets.mask }),
    draft: openKeptDraft({ home, folder: workspace(), mask: secrets.mask, pid: process.pid, isRunning }),
    lists: {
      commands,
      files: () => workspaceFiles(workspace(), { signal: new AbortController().signal, most: MAX_FILES }),
    },
    userFolder,
    clipboardImage: () => readClipboardImage(clipboardPrograms(process.platform, environment)),
    editOutside: (text) => editOutside(text, { environment, folder: workspace() }),
    now: () => performance.now(),
  };
}

/** Returns true if a process runs, also one of another user. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Ports of an editor without a home and without a workspace. */
export const NO_PORTS: EditorPorts = {
  history: { read: async () => [], add: async () => undefined },
  draft: { findLeft: async () => undefined, keep: async () => undefined },
  lists: { commands: () => [], files: async () => [] },
  userFolder: '/',
  clipboardImage: async () => ({ problem: 'this terminal has no clipboard' }),
  editOutside: async (text) => ({ text }),
  now: () => performance.now(),
};
