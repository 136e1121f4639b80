// Extracts facts that closed calls prove: files read or changed, commands with their outcomes, and plans that were
// stored. The sources are the tools' metadata and arguments that can be parsed.

import { defined } from '@tidemark/core';
import type { Position } from '@tidemark/log';
import { commandIn, folderIn, parseArguments, deedOf, fileIn } from './known-tools.ts';
import type { CommandRun, FileState } from './checkpoint.ts';
import { endOf, excerptOf, oneLine } from './excerpt.ts';
import type { ClosedCall } from './gather.ts';
import { shownByTerminal, wordsOf } from './gather.ts';
import type { Plan } from './plan-tasks.ts';
import { isPlanTool, readPlan } from './plan-tasks.ts';

const COMMAND = 300;

const PASSED = 120;

const FAILED = 400;

const OTHERWISE = 200;

/** File that a call read or changed. */
export interface Met extends FileState {
  readonly as: 'read' | 'changed';
}

/** Returns the files that the calls read or changed, in order. */
export function filesOf(calls: readonly ClosedCall[]): readonly Met[] {
  return calls.flatMap((call) => (call.ended?.files === undefined ? filesInArguments(call) : filesTold(call)));
}

function filesTold({ position, ended }: ClosedCall): readonly Met[] {
  return (ended?.files ?? []).map(({ path, digest, as }) => ({
    position,
    path,
    ...defined({ digest }),
    ...(as === 'removed' && { removed: true as const }),
    as: as === 'read' ? 'read' : 'changed',
  }));
}

/**
 * Returns the file named in the arguments of a successful call. It is used if the result of the call reports no files,
 * for example in the sessions of other programs.
 */
function filesInArguments(call: ClosedCall): readonly Met[] {
  const deed = deedOf(call);
  if (call.closing !== 'returned' || (deed !== 'read' && deed !== 'changed')) return [];
  const path = fileIn(call.name, deed, parseArguments(call.arguments) ?? {});
  return path === undefined ? [] : [{ position: call.position, path, as: deed }];
}

/** Returns the commands that ran, in order. A command that never started is not included. */
export function commandsOf(calls: readonly ClosedCall[]): readonly CommandRun[] {
  return calls.flatMap((call) => {
    if (deedOf(call) !== 'ran' && call.ended?.exit === undefined) return [];
    const value = parseArguments(call.arguments);
    const command = commandIn(value);
    const folder = folderIn(value);
    const isEmptySearch = call.ended?.exit === 1 && command !== undefined && isSearch(command);
    const outcome = isEmptySearch ? 'unknown' : outcomeOf(call);
    if (command === undefined || outcome === undefined) return [];
    const { position, ended } = call;
    const excerpt = ended === undefined ? '' : evidenceOf(shownByTerminal(wordsOf(ended.parts)), outcome);
    return [
      {
        position,
        command: excerptOf(command, COMMAND),
        ...defined({ folder, outcome, exit: ended?.exit }),
        runs: 1,
        ...(excerpt !== '' && { excerpt }),
      },
    ];
  });
}

/**
 * Programs that exit with 1 if they find nothing or find a difference. Their exit code 1 is a result, not a failure.
 */
const SEARCHES = /^(?:(?:e|f|rip)?grep|rg|ag|ack|diff|cmp|which|pgrep|command -v|git (?:grep|diff))(?: |$)/;

/** Programs that only read. A search may follow them in a pipe. */
const READERS =
  /^(?:cat|head|tail|ls|find|sort|uniq|wc|cut|tr|sed|awk|echo|jq|tac|nl|git (?:log|show|ls-files|status))(?: |$)/;

/**
 * Returns true if the command is a search. Programs that only read may come before the search. For any other command
 * line, the exit code can come from any of its parts.
 */
function isSearch(command: string): boolean {
  const plain = command.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/g, 'q').replace(/^(?:\w+=\S* )+/, '');
  if (/&&|\|\||[;&`\n]|\$\(/.test(plain.replaceAll(/\d?>&\d/g, ''))) return false;
  const programs = plain.split('|').map((one) => one.trim());
  return SEARCHES.test(programs.at(-1) ?? '') && programs.every((one) => SEARCHES.test(one) || READERS.test(one));
}

function outcomeOf({ closing, effect, ended }: ClosedCall): CommandRun['outcome'] | undefined {
  switch (closing) {
    case 'returned':
      return ended?.exit === undefined ? 'unknown' : ended.exit === 0 ? 'passed' : 'failed';
    case 'failed':
      return ended?.exit === 0 ? 'partial' : 'failed';
    case 'interrupted':
      return effect === undefined ? undefined : 'partial';
    case 'crashed':
      return 'unknown';
    case 'unstarted':
    case 'denied':
    case 'unavailable':
    case 'cut':
      return undefined;
  }
}

function evidenceOf(text: string, outcome: CommandRun['outcome']): string {
  if (outcome === 'passed') return oneLine(endOf(text.split('\n').at(-1) ?? '', PASSED));
  return oneLine(endOf(text, outcome === 'failed' ? FAILED : OTHERWISE));
}

/** Returns the plans that were stored, in order. */
export function plansOf(calls: readonly ClosedCall[]): readonly (Plan & { readonly position: Position })[] {
  return calls.flatMap(({ name, closing, position, ...call }) => {
    if (closing !== 'returned' || !isPlanTool(name)) return [];
    const value = parseArguments(call.arguments);
    return value === undefined ? [] : [{ position, ...readPlan(value) }];
  });
}
