// Port between the `bash` tool and the background processes, which are in a folder above it.

import type { ToolContext, ToolOutput } from '@tidemark/agent';
import type { CommandReach } from '../sandbox/sandbox.ts';
import type { Shell } from './shell.ts';

/** A command to start in the background. */
export interface BackgroundStart {
  readonly command: string;
  readonly reach: Omit<CommandReach, 'session'>;
}

/** Starts background processes for the `bash` tool. */
export interface BackgroundStarter {
  /** Shell of the workspace. Commands in the foreground use it too, so that both share one sandbox. */
  readonly shell: Shell;
  /** Maximum number of background processes of a session that run at the same time. */
  readonly most: number;
  /** Starts a process. Returns its id and its first output for the model. */
  start(asked: BackgroundStart, context: ToolContext): Promise<ToolOutput>;
}
