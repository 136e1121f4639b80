// Option for one hook of an agent, as the author writes it.

import type { Hook } from '@tidemark/agent';

/**
 * A hook: a function, or a program that gets the input as JSON on stdin and answers with JSON on stdout. The input and
 * the answer are `HookInput` and `HookAnswer`.
 */
export interface AgentHook extends Omit<Hook, 'name' | 'run'> {
  /** Function, program with its arguments, or line for the shell. */
  readonly run: Hook['run'] | readonly string[] | string;
  /** Name for people, for the log and for the model. Default: the name of the function, the script or the program. */
  readonly name?: string;
  /**
   * True to run a program in the sandbox of the workspace's commands, without a network. Where there is no sandbox, the
   * program does not run, and a notice reports it. Default: false.
   */
  readonly sandbox?: boolean;
  /** Folder in which a program without the sandbox runs. Default: the workspace. */
  readonly folder?: string;
}
