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
  if (isLogCode(code)) return { ...describeError(thrown, code), next: LOG_NEXT[code] ?? '', exit: logExit(code) };
  const system = SYSTEM_ERRORS.get(code) ?? otherSystemError(thrown, code);
  if (system !== undefined) return { code: `system/${code.toLowerCase()}`, message: thrown.message, ...system };
  if (isAgentCode(code))
    return {
      ...describeError(thrown, code),
      next: AGENT_NEXT[code] ?? '`tidemark doctor` looks the sessions over',
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

function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** Returns true for a stack overflow as V8 reports it. Only deeply nested input causes one. */
function isFullStack(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message === 'Maximum call stack size exceeded';
}

const TOO_DEEP: CommandFailure = {
  code: 'cli/too-deep',
  message: 'a value of a file or session is nested too deep to be worked on',
  next: '`tidemark doctor` names damaged sessions; a file of at most 500 levels can be read',
  exit: EXIT.refused,
};

/**
 * Returns the report for an operating system error that is not in the table, or for an error of Node's own file
 * functions.
 */
function otherSystemError(thrown: Error, code: string): Pick<CommandFailure, 'exit' | 'next'> | undefined {
  const isSystem = /^E[A-Z0-9]+$/.test(code) && 'syscall' in thrown;
  if (!isSystem && !code.startsWith('ERR_FS_')) return undefined;
  return { next: 'check the path, its permissions and its disk, then run the command again', exit: EXIT.refused };
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
  'log/missing': '`tidemark sessions` lists what is there',
  'log/exists': 'choose another session id',
  'log/locked': 'wait until the process that writes this session ends, or end it; reading works meanwhile',
  'log/damaged': '`tidemark doctor --repair <session>` copies what is sound into a new session',
  'log/not-a-file': '`tidemark doctor` names every session that cannot be read',
  'log/unknown-revision': 'a later version wrote this: update Tidemark',
  'log/unsupported-filesystem': 'set TIDEMARK_HOME to a folder on a local disk',
  'log/write-failed':
    'make room on the disk or mend its permissions, then run the command again; nothing acknowledged is lost',
  'log/flush-failed': 'check the disk, then run the command again; nothing acknowledged is lost',
  'artifact/missing': '`tidemark doctor` names what is missing',
  'artifact/damaged': '`tidemark doctor` names what is damaged',
};

function isAgentCode(code: string): code is AgentErrorCode {
  return Object.hasOwn(AGENT_ERRORS, code);
}

const AGENT_NEXT: { readonly [code in AgentErrorCode]?: string } = {
  'agent/nothing-to-resume': 'say what to do next: `tidemark --continue "…"`',
  'agent/not-closed': '--dry-run says where it would leave; without --at it is the last closed record',
  'agent/no-such-record': '`tidemark export <session> --format json` lists every record',
  'agent/unfit-image': 'name another image, or make a copy that fits',
  'agent/unknown-price': 'limit steps or tokens instead: --max-steps, --max-tokens',
};

const AGENT_EXITS = { refused: EXIT.refused, conflict: EXIT.busy, bug: EXIT.bug } as const;

/** Exit code and next step for errors of other packages, by the part of their code before the slash. */
const FAMILIES: ReadonlyMap<string, Pick<CommandFailure, 'exit' | 'next'>> = new Map(
  Object.entries<Pick<CommandFailure, 'exit' | 'next'>>({
    import: { exit: EXIT.refused, next: 'give a session file of pi or a transcript of Claude Code' },
    workspace: { exit: EXIT.refused, next: 'mend what is named and run the command again' },
    file: { exit: EXIT.refused, next: 'name a regular file' },
    mcp: { exit: EXIT.refused, next: 'mend what is named and run the command again' },
    kit: { exit: EXIT.refused, next: 'mend what is named and run the command again' },
    settings: { exit: EXIT.refused, next: 'mend what is named and run the command again' },
    catalog: { exit: EXIT.refused, next: 'mend the named fields and run the command again' },
    simulator: { exit: EXIT.refused, next: 'mend what is named and run the command again' },
    provider: { exit: EXIT.provider, next: 'see what the provider said, and run the command again' },
  }),
);

const SYSTEM_ERRORS: ReadonlyMap<string, Pick<CommandFailure, 'exit' | 'next'>> = new Map(
  Object.entries<Pick<CommandFailure, 'exit' | 'next'>>({
    ENOENT: { next: 'check the path', exit: EXIT.refused },
    ENOTDIR: { next: 'check the path', exit: EXIT.refused },
    EISDIR: { next: 'name a file, not a folder', exit: EXIT.refused },
    EACCES: { next: 'mend the permissions, or run as the user who owns it', exit: EXIT.refused },
    EPERM: { next: 'mend the permissions, or run as the user who owns it', exit: EXIT.refused },
    EROFS: { next: 'set TIDEMARK_HOME to a folder that can be written', exit: EXIT.refused },
    ENOSPC: { next: 'make room on the disk, then run the command again', exit: EXIT.refused },
    EMFILE: { next: 'raise the limit of open files (`ulimit -n`)', exit: EXIT.refused },
    EEXIST: { next: 'move away what is there, or name another path', exit: EXIT.refused },
    ELOOP: { next: 'mend the links of the path', exit: EXIT.refused },
    ENAMETOOLONG: { next: 'use a shorter path', exit: EXIT.refused },
    EIO: {
      next: 'check the disk, then run the command again; nothing was changed by the failed read or write',
      exit: EXIT.refused,
    },
    EDQUOT: { next: 'make room within the quota, then run the command again', exit: EXIT.refused },
    ERR_SQLITE_ERROR: {
      next: 'check the permissions of the home and the limit of open files (`ulimit -n`), then run the command again',
      exit: EXIT.refused,
    },
    ENFILE: { next: 'close other programs, or raise the limit of open files of the system', exit: EXIT.refused },
    EADDRINUSE: { next: 'choose another port', exit: EXIT.refused },
  }),
);
