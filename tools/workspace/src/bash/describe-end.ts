// Describes the end of a command for the model. The description comes after the output, because the model sees the end
// of a long output.

import { constants } from 'node:os';
import { showName } from '../confine/show-name.ts';
import { cutBeforeWord } from '../page/cut-line.ts';
import type { Relative } from './family.ts';
import type { CommandEnd, Patience } from './run-command.ts';

/** Maximum number of processes that a line names. */
const MAX_NAMED = 10;

/** Longest command in a line, in characters. */
const COMMAND_LENGTH = 120;

const LINE_END = 0x0a;

/**
 * Returns the exit code as a shell reports it. If a signal ended the command, the code is 128 plus the signal number.
 * If the command did not end, returns `undefined`.
 */
export function exitOf({ code, signal }: Pick<CommandEnd, 'code' | 'signal'>): number | undefined {
  return code ?? (signal === undefined ? undefined : 128 + constants.signals[signal]);
}

/**
 * Returns the lines that describe the end of a command. If the command wrote output, exited with 0 and left no process
 * running, returns an empty text.
 */
export function sayEnd(end: CommandEnd, patience: Patience): string {
  const lines = [...sayOutput(end), ...sayExit(end), ...sayStop(end, patience), ...sayLeft(end)];
  if (lines.length === 0) return '';
  const apart = end.lastByte === undefined || end.lastByte === LINE_END ? '' : '\n';
  return `${apart}${lines.map((line) => `[${line}]`).join('\n')}`;
}

function sayOutput({ lastByte, outputLeft }: CommandEnd): readonly string[] {
  const none = lastByte === undefined ? ['no output'] : [];
  return outputLeft
    ? [...none, 'a process that could not be reached kept the output open, so its later output is not shown']
    : none;
}

function sayExit(end: CommandEnd): readonly string[] {
  if (end.code === undefined && end.signal === undefined) return ['the shell did not end'];
  if (end.signal !== undefined) return [`ended by ${end.signal}, exit ${exitOf(end)}`];
  return end.code === 0 && end.lastByte !== undefined ? [] : [`exit ${end.code}`];
}

function sayStop({ stopped }: CommandEnd, { timeoutMs }: Patience): readonly string[] {
  if (stopped === undefined) return [];
  if (stopped === 'interrupt') return ['interrupted: the command and all processes that it started were ended'];
  return [
    `timed out after ${timeoutMs / 1000} s: the command and all processes that it started were ended. Do less in one command, or set timeout_s`,
  ];
}

function sayLeft({ leftRunning, undying }: CommandEnd): readonly string[] {
  return [
    ...(leftRunning.length === 0 ? [] : [`processes that still ran and were ended: ${nameProcesses(leftRunning)}`]),
    ...(undying.length === 0 ? [] : [`processes that could not be ended: ${nameProcesses(undying)}`]),
  ];
}

/** Returns the numbers and commands of processes as one line. Only the first of many processes are named. */
export function nameProcesses(relatives: readonly Relative[]): string {
  const names = relatives.slice(0, MAX_NAMED).map(({ pid, command }) => `${pid} ${shortCommand(command)}`);
  const more = relatives.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

/** Returns a command as one short line. */
export function shortCommand(command: string): string {
  return cutBeforeWord(showName(command), COMMAND_LENGTH);
}
