// Programs as hooks. A program gets the input as one JSON object on stdin, and answers with JSON on stdout. The exit
// code 2 with a text on stderr is a denial, as in Claude Code. A program runs with the user's own access, or in the
// sandbox of the commands without a network.

import type { Hook, HookAnswer, HookContext, HookInput } from '@tidemark/agent';
import { canDeny } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import { z } from 'zod';
import { bashEnvironment } from '../bash/bash-environment.ts';
import type { Shell, ShellOptions } from '../bash/shell.ts';
import { findShell, openShell } from '../bash/shell.ts';
import type { ProgramEnd } from './run-program.ts';
import { runProgram } from './run-program.ts';

/** Program of a hook: a program with its arguments, or a line for the shell. */
export interface HookProgram {
  readonly name: string;
  readonly run: string | readonly string[];
  /**
   * True to run the program in the sandbox, in the folder of the workspace and without a network. Where there is no
   * sandbox, the program does not run, and a notice reports it. Default: false.
   */
  readonly sandbox?: boolean;
  /**
   * Absolute path of the folder in which a program without the sandbox runs. Relative paths in `run` are relative to
   * this folder. Default: the workspace.
   */
  readonly folder?: string;
}

/** Place in which the programs of hooks run. The options are those of the commands of the workspace. */
export interface HookPlace extends Omit<ShellOptions, 'network'> {
  /** Real and absolute path of the workspace. */
  readonly workspace: string;
}

/** Variable with the path of the workspace, for programs. */
const WORKSPACE = 'HOOK_WORKSPACE';

/**
 * Returns a function that makes hooks of programs. The programs share one sandbox, which is looked up when the first
 * program runs.
 *
 * @throws WorkspaceError `workspace/secret-variable` when `place.variables` contains the name of a secret.
 */
export function createHookPrograms(place: HookPlace): (program: HookProgram) => Hook['run'] {
  const { workspace, environment = process.env } = place;
  const variablesOfHook = { ...bashEnvironment(environment, place), [WORKSPACE]: workspace };
  let shell: Shell | undefined;
  const told = new Set<string>();
  return (program) => async (input, context) => {
    const text = JSON.stringify(input);
    if (program.sandbox !== true) {
      const command = { argv: argvOf(program.run), folder: program.folder ?? workspace, environment: variablesOfHook };
      return answerOf(await runProgram(command, text, context.signal), input);
    }
    shell ??= openShell(workspace, { ...place, network: 'off' });
    if (shell.sandboxed) return answerOf(await runSandboxed(shell, program, text, input, context), input);
    const key = JSON.stringify([input.session, program.name]);
    if (!told.has(key)) context.notice(withoutSandbox(program));
    told.add(key);
    return {};
  };
}

function argvOf(run: HookProgram['run']): readonly string[] {
  if (typeof run !== 'string') return run;
  return [findShell(), '-c', run];
}

async function runSandboxed(
  shell: Shell,
  { run }: HookProgram,
  text: string,
  { session, workspace }: HookInput,
  context: HookContext,
): Promise<ProgramEnd> {
  const line = typeof run === 'string' ? run : `exec ${run.map(quoteWord).join(' ')}`;
  const entered = await shell.enter(line, { session, network: false, ports: [] }, context);
  try {
    const { command } = entered;
    const environment = { ...command.environment, [WORKSPACE]: workspace };
    return await runProgram({ ...command, environment }, text, context.signal);
  } finally {
    await entered.leave();
  }
}

/** Returns a word that a shell reads as this text. */
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function withoutSandbox({ name }: HookProgram): Parameters<HookContext['notice']>[0] {
  return {
    code: 'hook/no-sandbox',
    message: `the hook ${name} did not run: it runs only in a sandbox, and this machine has none`,
    next: '`tidemark doctor` reports what a sandbox needs. To run the hook without one, move it to your own settings.',
  };
}

/** Form of an answer. */
const ANSWER = z.strictObject({ deny: z.string().optional(), note: z.string().optional() });

const EXPECTED = 'it has to be empty, {}, { "deny": "…" } or { "note": "…" }';

/** Longest line of stderr in an error, in characters. */
const MAX_ERROR = 300;

/** Exit code of a denial. */
const DENIES = 2;

/**
 * Reads the answer of a program that has ended.
 *
 * @throws Error with the reason if the program failed.
 */
export function answerOf(end: ProgramEnd, { event }: Pick<HookInput, 'event'>): HookAnswer {
  if (end.tooMuch) throw new Error('it wrote more than 64 KiB to stdout');
  if (end.code === DENIES) {
    const text = end.stderr.trim();
    if (canDeny(event)) return { deny: text };
    return text === '' ? {} : { note: text };
  }
  if (end.code !== 0) {
    const how = end.signal === undefined ? `with the exit code ${end.code ?? 'unknown'}` : `by ${end.signal}`;
    const line = errorLine(end.stderr);
    throw new Error(`it ended ${how}${line === '' ? '' : `: ${line}`}`);
  }
  return end.stdout.trim() === '' ? {} : readAnswer(end.stdout);
}

/** Returns the line that describes the failure: the first line about an error, otherwise the last line. */
function errorLine(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const line =
    lines.find((one) => /\b\w*(Error|Exception)\b|\berror:/.test(one)) ?? lines.findLast((one) => one !== '');
  return (line ?? '').slice(0, MAX_ERROR).toWellFormed();
}

function readAnswer(stdout: string): HookAnswer {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    throw new Error(`its output is not JSON: ${EXPECTED}`);
  }
  const read = ANSWER.safeParse(value);
  if (!read.success) throw new Error(`its output has another form: ${EXPECTED}`);
  return defined(read.data);
}
