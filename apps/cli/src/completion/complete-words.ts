// Values that complete a word of a command line. Values that the declarations do not list are read from the home and the
// settings. Nothing is written, and no server and no provider is asked.

import type { SessionSummary } from '@tidemark/log';
import { effortsOf } from '@tidemark/model';
import type { Command } from 'commander';

import { ageOf, matchingSessions, timeOf } from '../arguments/find-session.ts';
import { MODEL_FAMILIES } from '../arguments/resolve-model.ts';
import type { CommandContext } from '../frame/command.ts';
import { plainText } from '../frame/plain-text.ts';
import { knownServersSilently } from '../mcp/known-servers.ts';
import { agentsHere } from '../settings/own-agents.ts';
import { readCatalog } from '../settings/own-catalog.ts';
import type { OfferedWord } from './find-slot.ts';
import { findSlot } from './find-slot.ts';

/** Values for the word at the cursor. */
export interface CompletedWords {
  /** Names that the shell adds. */
  readonly paths: 'none' | 'files' | 'folders';
  readonly words: readonly OfferedWord[];
}

/** Reads the values of an argument, by the name of the argument in the declarations. */
const READERS: ReadonlyMap<string, (typed: string, context: CommandContext) => Promise<readonly OfferedWord[]>> =
  new Map([
    ['session', sessionWords],
    ['transcript or session', sessionWords],
    ['model', modelWords],
    ['level', effortWords],
    ['server', serverWords],
    ['agent', agentWords],
  ]);

const PATHS: ReadonlyMap<string, CompletedWords['paths']> = new Map([
  ['file', 'files'],
  ['transcript or session', 'files'],
  ['folder', 'folders'],
]);

/** Returns the values for the last word of a line. `words` are the words after the name of the program. */
export async function completeWords(
  program: Command,
  words: readonly string[],
  context: CommandContext,
): Promise<CompletedWords> {
  const { offered, placeholder = '', before, typed } = findSlot(program, words);
  const read = (await READERS.get(placeholder)?.(typed, context)) ?? [];
  const fitting = [...offered.filter(({ value }) => value.startsWith(typed)), ...read].filter(isPlainWord);
  return {
    paths: PATHS.get(placeholder) ?? 'none',
    words: fitting.map(({ value, description }) => ({
      value: `${before}${value}`,
      description: shorten(plainText(description).replaceAll(/\s+/g, ' ').trim()),
    })),
  };
}

/** Longest description, in characters. */
const LONGEST = 70;

function shorten(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).trimEnd()}…`;
}

/** Returns true for a word that no shell changes. Other words are not offered, because shells quote differently. */
function isPlainWord({ value }: OfferedWord): boolean {
  return /^[\w./:@+-]+$/.test(value);
}

/** Maximum number of sessions that are offered, the newest ones. */
const MOST_SESSIONS = 100;

/**
 * Returns the ids that begin with the text, newest session first. If there are none, returns the ids of the sessions
 * that a title or a part of it can mean. Sessions of subagents are offered only after the first character.
 */
async function sessionWords(typed: string, { store }: CommandContext): Promise<readonly OfferedWord[]> {
  const { sessions } = await (await store()).sessions();
  const now = Date.now();
  const offer = (one: SessionSummary): OfferedWord => ({
    value: one.session,
    description: [one.title, ageOf(timeOf(one), now)].filter((part) => part !== undefined).join(', '),
  });
  const listed = sessions.filter(({ startedBy }) => typed !== '' || startedBy === undefined);
  const beginning = listed.filter(({ session }) => session.startsWith(typed));
  return (beginning.length > 0 ? beginning : matchingSessions(typed, sessions))
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)))
    .slice(0, MOST_SESSIONS)
    .map(offer);
}

async function modelWords(typed: string, { home }: CommandContext): Promise<readonly OfferedWord[]> {
  const { rows } = await readCatalog(home);
  const short = MODEL_FAMILIES.map((value) => ({ value, description: 'the newest one' }));
  const named = rows.map(({ model, provider }) => ({ value: model, description: provider }));
  const words = new Map([...named, ...short].map((one) => [one.value, one]));
  return [...words.values()].filter(({ value }) => value.startsWith(typed));
}

async function effortWords(typed: string, { home }: CommandContext): Promise<readonly OfferedWord[]> {
  const { rows } = await readCatalog(home);
  const efforts = new Set(rows.flatMap((row) => effortsOf(row) ?? []));
  return [...efforts].filter((value) => value.startsWith(typed)).map((value) => ({ value, description: '' }));
}

async function serverWords(typed: string, context: CommandContext): Promise<readonly OfferedWord[]> {
  const { servers } = await knownServersSilently(context);
  return servers
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, source }) => ({ value: name, description: `from the ${source} settings` }));
}

async function agentWords(typed: string, context: CommandContext): Promise<readonly OfferedWord[]> {
  const { found } = await agentsHere(context);
  return found.agents
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, use }) => ({ value: name, description: use }));
}
