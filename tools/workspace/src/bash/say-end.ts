// How a command ended, in words for the model: after its output, whose end is what it is shown.

import { constants } from 'node:os';
import { showName } from '../confine/show-name.ts';
import { cutBeforeWord } from '../page/cut-line.ts';
import type { Relative } from './family.ts';
import type { CommandEnd, Patience } from './run-command.ts';

const MOST_NAMED = 10;
const COMMAND_LENGTH = 120;
const LINE_END = 0x0a;

/** The exit code as a shell gives it: 128 and the number of the signal where one ended it; `undefined` where it did not end. */
export function exitOf({ code, signal }: Pick<CommandEnd, 'code' | 'signal'>): number | undefined {
  return code ?? (signal === undefined ? undefined : 128 + constants.signals[signal]);
}

/** What is to be said; nothing when there was output and all went well. */
export function sayEnd(end: CommandEnd, patience: Patience): string {
  const lines = [...sayOutput(end), ...sayExit(end), ...sayStop(end, patience), ...sayLeft(end)];
  if (lines.length === 0) return '';
  const apart = end.lastByte === undefined || end.lastByte === LINE_END ? '' : '\n';
  return `${apart}${lines.map((line) => `[${line}]`).join('\n')}`;
}

function sayOutput({ lastByte, outputLeft }: CommandEnd): readonly string[] {
  const none = lastByte === undefined ? ['no output'] : [];
  return outputLeft ? [...none, 'the output was still held open by a process out of reach, and was left there'] : none;
}

function sayExit(end: CommandEnd): readonly string[] {
  if (end.code === undefined && end.signal === undefined) return ['the shell did not end'];
  if (end.signal !== undefined) return [`ended by ${end.signal}, exit ${exitOf(end)}`];
  return end.code === 0 && end.lastByte !== undefined ? [] : [`exit ${end.code}`];
}

function sayStop({ stopped }: CommandEnd, { timeoutMs }: Patience): readonly string[] {
  if (stopped === undefined) return [];
  if (stopped === 'interrupt') return ['interrupted, and ended with all that it had started'];
  return [
    `timed out after ${timeoutMs / 1000} s and was ended with all that it had started: do less, or give timeout_s`,
  ];
}

function sayLeft({ leftRunning, undying }: CommandEnd): readonly string[] {
  return [
    ...(leftRunning.length === 0 ? [] : [`left running and ended: ${named(leftRunning)}`]),
    ...(undying.length === 0 ? [] : [`could not be ended: ${named(undying)}`]),
  ];
}

function named(relatives: readonly Relative[]): string {
  const names = relatives.slice(0, MOST_NAMED).map(({ pid, command }) => `${pid} ${short(showName(command))}`);
  const more = relatives.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

function short(command: string): string {
  return cutBeforeWord(command, COMMAND_LENGTH);
}
