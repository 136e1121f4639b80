// Converts any thrown value into a failure report: a stable code, a message, the next step and an exit code.

import { CodedError } from '@tidemark/core';
import type { AgentErrorCode } from '@tidemark/agent';
import { AGENT_ERRORS } from '@tidemark/agent';
import type { LogErrorCode } from '@tidemark/log';
import { LOG_ERRORS } from '@tidemark/log';

import type { ExitCode } from './exit-codes.ts';
import { EXIT } from './exit-codes.ts';

/** Report of a command that failed. */
export interface CommandFailure {
  readonly code: string;
  readonly message: string;
  /** Next step for the user. Empty if the message already contains it. */
  readonly next: string;
  readonly exit: ExitCode;
}

/** Code of an error of the command line itself. */
export type CliErrorCode =
  | 'cli/usage'
  | 'cli/unknown-command'
  | 'cli/not-found'
  | 'cli/refused'
  | 'cli/no-key'
  | 'cli/beyond-repair';

/** Exit codes of the errors of the command line itself. */
export const CLI_ERRORS: Readonly<Record<CliErrorCode, ExitCode>> = {
  'cli/usage': EXIT.usage,
  'cli/unknown-command': EXIT.usage,
  'cli/not-found': EXIT.refused,
  'cli/refused': EXIT.refused,
  'cli/no-key': EXIT.refused,
  'cli/beyond-repair': EXIT.corrupt,
};

/** Error of the command line itself, such as a wrong argument or a missing file. */
export class CliError extends CodedError<CliErrorCode> {
  override readonly name = 'CliError';
  readonly next: string;

  constructor(code: CliErrorCode, message: string, next: string, cause?: unknown) {
    super(code, message, undefined, cause);
    this.next = next;
  }
}

/**
 * Returns the failure report for any thrown value. A value without a known error code is reported as a bug of Tidemark.
 */
export function failureOf(thrown: unknown): CommandFailure {
  if (thrown instanceof CliError) return { ...describeError(thrown, thrown.code), exit: CLI_ERRORS[thrown.code] };
  if (isFullStack(thrown)) return TOO_DEEP;
  const code = codeOf(thrown);
  if (!(thrown instanceof Error) || code === undefined) return bug(thrown);
  if (isLogCode(code)) {
    const next = LOG_NEXT[code] ?? '';
    return { code, message: withoutNext(thrown.message, next), next, exit: logExit(code) };
  }
  const system = SYSTEM_ERRORS.get(code) ?? otherSystemError(thrown, code);
  if (system !== undefined)
    return { code: `system/${code.toLowerCase()}`, message: systemMessage(thrown, code), ...system };
  if (isAgentCode(code))
    return {
      code,
      message: withoutNext(thrown.message, AGENT_NEXT[code]),
      next: AGENT_NEXT[code] ?? '`tidemark doctor` checks the sessions',
      exit: AGENT_EXITS[AGENT_ERRORS[code]],
    };
  const family = FAMILIES.get(code.slice(0, code.indexOf('/')));
  if (family === undefined) return bug(thrown);
  const { next, ...rest } = describeError(thrown, code);
  return { ...rest, next: next === '' ? family.next : next, exit: family.exit };
}

function describeError(
  error: Error,
  code: string,
): { readonly code: string; readonly message: string; readonly next: string } {
  return { code, message: error.message, next: 'next' in error && typeof error.next === 'string' ? error.next : '' };
}

/** Removes the next step from the end of a message. Messages for users of the library can contain the same next step. */
function withoutNext(message: string, next = ''): string {
  return next === '' ? message : message.replace(`; ${next}.`, '').replace(`: ${next}`, '');
}

function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** Returns true for the stack overflow error of V8. Only deeply nested input causes this error. */
function isFullStack(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message === 'Maximum call stack size exceeded';
}

const TOO_DEEP: CommandFailure = {
  code: 'cli/too-deep',
  message: 'a value in a file or session is nested too deep to be processed',
  next: '`tidemark doctor` lists damaged sessions; a file may have at most 500 levels',
  exit: EXIT.refused,
};

/**
 * Returns the report for two kinds of errors: operating system errors that `SYSTEM_ERRORS` does not contain, and errors
 * of Node's own file functions.
 */
function otherSystemError(thrown: Error, code: string): Pick<CommandFailure, 'exit' | 'next'> | undefined {
  const isSystem = /^E[A-Z0-9]+$/.test(code) && 'syscall' in thrown;
  if (!isSystem && !code.startsWith('ERR_FS_')) return undefined;
  return { next: 'check the path, its permissions and the disk, then run the command again', exit: EXIT.refused };
}

/**
 * Returns the message of a system error. If its path is known and its code is a usual one, the message is in plain
 * words.
 */
function systemMessage(thrown: Error, code: string): string {
  const path = 'path' in thrown && typeof thrown.path === 'string' ? thrown.path : undefined;
  if (path === undefined) return thrown.message;
  if (code === 'ENOENT') return `${path} does not exist`;
  if (code === 'EISDIR') return `${path} is a folder`;
  if (code === 'ENOTDIR') return `${path}: a part of this path is a file, not a folder`;
  return code === 'EACCES' || code === 'EPERM' ? `the system refused access to ${path}` : thrown.message;
}

function bug(thrown: unknown): CommandFailure {
  const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return {
    code: 'cli/bug',
    message,
    next: 'this is a bug in Tidemark: please report it with the lines above',
    exit: EXIT.bug,
  };
}

function isLogCode(code: string): code is LogErrorCode {
  return Object.hasOwn(LOG_ERRORS, code);
}

function logExit(code: LogErrorCode): ExitCode {
  return LOG_EXITS[LOG_ERRORS[code]];
}

const LOG_EXITS = { refused: EXIT.refused, retryable: EXIT.busy, corrupt: EXIT.corrupt, bug: EXIT.bug } as const;

const LOG_NEXT: { readonly [code in LogErrorCode]?: string } = {
  'log/missing': '`tidemark sessions` lists the existing sessions',
  'log/exists': 'choose another session id',
  'log/locked':
    'wait until the process that writes this session ends, or end that process; the session can still be read',
  'log/damaged': '`tidemark doctor --repair <session>` copies the intact records into a new session',
  'log/not-a-file': '`tidemark doctor` lists every session that cannot be read',
  'log/unknown-revision': 'a later version of Tidemark wrote this: update Tidemark',
  'log/unsupported-filesystem': 'set TIDEMARK_HOME to a folder on a local disk',
  'log/write-failed':
    'free space on the disk or fix its permissions, then run the command again; no acknowledged record is lost',
  'log/flush-failed': 'check the disk, then run the command again; no acknowledged record is lost',
  'log/unreachable': 'check that the database runs and that its address is right, then run the command again',
  'artifact/unreachable': 'check that the object storage runs, then run the command again',
  'artifact/read-failed': 'check the rights in the object storage or folder, then run the command again',
  'artifact/missing': '`tidemark doctor` lists the missing artifacts',
  'artifact/damaged': '`tidemark doctor` lists the damaged artifacts',
};

function isAgentCode(code: string): code is AgentErrorCode {
  return Object.hasOwn(AGENT_ERRORS, code);
}

const AGENT_NEXT: { readonly [code in AgentErrorCode]?: string } = {
  'agent/nothing-to-resume': 'send a new prompt: `tidemark --continue "…"`',
  'agent/not-closed': 'remove `--at` to fork at the last closed record; `--dry-run` shows the place without a change',
  'agent/no-such-record': '`tidemark export <session> --format json` lists every record',
  'agent/unknown-skill': '`tidemark skills` lists the installed skills',
  'agent/hook-denied': '`tidemark config` lists the hooks and where they are set',
  'agent/unfit-image': 'use another image, or make a copy in a supported format and size',
  'agent/unknown-price': 'limit steps or tokens instead: `--max-steps`, `--max-tokens`',
};

const AGENT_EXITS = { refused: EXIT.refused, conflict: EXIT.busy, bug: EXIT.bug } as const;

/** Exit code and next step for errors of other packages. The key is the part of the error code before the slash. */
const FAMILIES: ReadonlyMap<string, Pick<CommandFailure, 'exit' | 'next'>> = new Map(
  Object.entries<Pick<CommandFailure, 'exit' | 'next'>>({
    import: {
      exit: EXIT.refused,
      next: 'name one transcript of Claude Code, Codex, Copilot CLI, Gemini CLI, OpenCode or pi',
    },
    workspace: { exit: EXIT.refused, next: 'fix the named problem, then run the command again' },
    file: { exit: EXIT.refused, next: 'use a regular file' },
    mcp: { exit: EXIT.refused, next: 'fix the named problem, then run the command again' },
    kit: { exit: EXIT.refused, next: 'fix the named problem, then run the command again' },
    settings: { exit: EXIT.refused, next: 'fix the named problem, then run the command again' },
    server: { exit: EXIT.refused, next: 'fix the named problem, then run the command again' },
    'http-server': { exit: EXIT.refused, next: 'use another port or address, or end the program that uses it' },
    catalog: { exit: EXIT.refused, next: 'fix the named fields, then run the command again' },
    simulator: { exit: EXIT.refused, next: 'fix the named problem, then run the command again' },
    provider: { exit: EXIT.provider, next: 'read the message of the provider, then run the command again' },
  }),
);

const SYSTEM_ERRORS: ReadonlyMap<string, Pick<CommandFailure, 'exit' | 'next'>> = new Map(
  Object.entries<Pick<CommandFailure, 'exit' | 'next'>>({
    ENOENT: { next: 'check the path', exit: EXIT.refused },
    ENOTDIR: { next: 'check the path', exit: EXIT.refused },
    EISDIR: { next: 'use a file, not a folder', exit: EXIT.refused },
    EACCES: { next: 'fix the permissions, or run the command as the owner', exit: EXIT.refused },
    EPERM: { next: 'fix the permissions, or run the command as the owner', exit: EXIT.refused },
    EROFS: { next: 'set TIDEMARK_HOME to a folder that can be written', exit: EXIT.refused },
    ENOSPC: { next: 'free space on the disk, then run the command again', exit: EXIT.refused },
    EMFILE: { next: 'raise the limit of open files (`ulimit -n`)', exit: EXIT.refused },
    EEXIST: { next: 'move the existing file away, or use another path', exit: EXIT.refused },
    ELOOP: { next: 'fix the symbolic links in the path', exit: EXIT.refused },
    ENAMETOOLONG: { next: 'use a shorter path', exit: EXIT.refused },
    EIO: {
      next: 'check the disk, then run the command again; the failed read or write changed nothing',
      exit: EXIT.refused,
    },
    EDQUOT: { next: 'free space within the quota, then run the command again', exit: EXIT.refused },
    ERR_SQLITE_ERROR: {
      next: 'check the permissions of the Tidemark home and the limit of open files (`ulimit -n`), then run the command again',
      exit: EXIT.refused,
    },
    ENFILE: { next: 'close other programs, or raise the limit of open files of the system', exit: EXIT.refused },
    EADDRINUSE: { next: 'choose another port', exit: EXIT.refused },
  }),
);
