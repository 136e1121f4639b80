// Slash commands that change the shown session, or show another one.

import { defined } from '@tidemark/core';
import type { CompactionReport } from '@tidemark/kit';
import type { SessionSummary } from '@tidemark/log';

import { recordArgument } from '../../arguments/record-argument.ts';
import { findSession, matchingSessions } from '../../arguments/find-session.ts';
import { CliError } from '../../frame/failure.ts';
import { cutToWidth } from '../../frame/fit-table.ts';
import type { Shown } from '../../frame/shown.ts';
import { render, withStyle } from '../../frame/shown.ts';
import { compactionDetails, compactionInWords } from '../../reports/compaction-report.ts';
import { showLine } from './command-lines.ts';
import { readFlags } from './read-flags.ts';
import type { SlashCommand, SlashPlace } from './slash-command.ts';
import { idleSession, requireFewWords, requireIdle, shownSession } from './slash-command.ts';

const compact: SlashCommand = {
  name: 'compact',
  group: 'session',
  summary: 'replace older history with a checkpoint; shows sizes and price first',
  argument: '[--tail-tokens <n>]',
  async run({ words }, place) {
    const { values, words: more } = readFlags(words, { texts: ['tail-tokens'] });
    requireFewWords('compact', more, 0);
    const tailTokens = tokensOf(values.get('tail-tokens'));
    const session = place.controller.session() ?? idleSession(place);
    const options = defined({ tailTokens });
    const planned = await session.compact({ ...options, dryRun: true });
    const lines = compactionInWords(session.id, planned).split('\n');
    if (planned.outcome === 'refused') return place.controller.print(lines);
    const index = await place.controller.choose(lines, [
      { label: 'compact', note: 'the checkpoint is made from the log, without the model', key: 'y' },
      { label: 'compact with the model', note: 'the model adds what the log alone does not show', key: 'm' },
      { label: 'cancel', key: 'n' },
    ]);
    if (index !== 0 && index !== 1) return;
    const made: CompactionReport = await session.compact({ ...options, by: index === 0 ? 'deterministic' : 'model' });
    // The record of the compaction is printed too.
    place.controller.print(compactionDetails(session.id, made).map((line) => withStyle('dim', line)));
  },
};

function tokensOf(text: string | true | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text);
  throw new CliError(
    'cli/usage',
    '`--tail-tokens` needs a whole number of tokens',
    'write `/compact --tail-tokens 5000`',
  );
}

const fork: SlashCommand = {
  name: 'fork',
  group: 'session',
  summary: 'continue in a fork of this session, which is kept as it is',
  argument: '[--at <record>] [title]',
  async run({ words: typed }, place) {
    const { values, words } = readFlags(typed, { texts: ['at'] });
    const record = values.get('at');
    const at = typeof record === 'string' ? recordArgument(record) : undefined;
    const title = words.length === 0 ? undefined : words.join(' ');
    const session = idleSession(place);
    const made = await session.fork(defined({ title, at }));
    await place.controller.openSession({ open: 'live', session: made });
    place.controller.print([withStyle('dim', `This is ${made.id}, a fork of ${session.id}. Files are unchanged.`)]);
  },
};

const rewind: SlashCommand = {
  name: 'rewind',
  group: 'session',
  summary: 'go back to an earlier prompt in a fork, and restore files (also Esc Esc)',
  async run(_, { controller }) {
    controller.rewind();
  },
};

const resume: SlashCommand = {
  name: 'resume',
  group: 'session',
  summary: 'show another session of this folder',
  argument: '[session]',
  complete: async (place) => (await otherSessions(place)).map(({ session }) => session),
  async run({ words }, place) {
    requireIdle(place);
    const text = words.join(' ');
    const notes: Shown[] = [];
    const id = text === '' ? await chooseSession(place) : await namedIn(text, place, notes);
    if (id !== undefined) await place.controller.openSession({ open: 'existing', id });
    if (notes.length > 0) place.controller.print(notes);
  },
};

/** Returns the session that a text names. If it was not named by its whole id, a line about it is added to the notes. */
function namedIn(text: string, { context }: SlashPlace, notes: Shown[]): Promise<SessionSummary['session']> {
  return findSession(text, { ...context, output: { note: (shown) => void notes.push(shown) } });
}

const sessions: SlashCommand = {
  name: 'sessions',
  group: 'session',
  summary: 'list the sessions of this folder, newest first, to show another one; `--tree` adds forks',
  argument: '[text] [--tree]',
  async run({ words }, place) {
    const { controller } = place;
    if (words.some((word) => word.startsWith('-')))
      return showLine(
        ['sessions', '--workspace', controller.workspace(), ...words],
        `/sessions ${words.join(' ')}`,
        place,
      );
    const text = words.join(' ');
    const all = await sessionsHere(place);
    const found = text === '' ? all : matchingSessions(text, all, 'any');
    if (found.length === 0)
      return controller.print([
        text === ''
          ? 'This folder has no session yet. The first prompt creates one.'
          : `No session of this folder has the id or the title ${JSON.stringify(text)}. \`/sessions\` lists all.`,
      ]);
    const { session: shown, running, unwritable } = controller.state.get();
    const title = running
      ? ['The sessions of this folder:']
      : ['The sessions of this folder. Enter shows the marked one:'];
    const id = await chooseAmong(found, title, place);
    if (id === undefined || (id === shown && unwritable !== true)) return;
    requireIdle(place);
    await controller.openSession({ open: 'existing', id });
  },
};

/** Sessions that the list offers. Older ones are opened by their id. */
const OFFERED = 50;

/** Returns the sessions of the folder without subagents, newest first. */
async function sessionsHere({ controller, context }: SlashPlace): Promise<readonly SessionSummary[]> {
  const log = await context.store();
  const found = await log.sessions({ workspace: controller.workspace() });
  return found.sessions
    .filter(({ startedBy }) => startedBy === undefined)
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)))
    .slice(0, OFFERED);
}

async function otherSessions(place: SlashPlace): Promise<readonly SessionSummary[]> {
  const { session: id, unwritable } = place.controller.state.get();
  const shown = unwritable === true ? undefined : id;
  return (await sessionsHere(place)).filter(({ session }) => session !== shown);
}

function timeOf({ changedAt, createdAt }: SessionSummary): string {
  return changedAt ?? createdAt;
}

async function chooseSession(place: SlashPlace): Promise<SessionSummary['session'] | undefined> {
  const others = await otherSessions(place);
  if (others.length > 0) return chooseAmong(others, ['Which session?'], place);
  place.controller.print(['This folder has no other session.']);
  return undefined;
}

/** Columns that a title has at least in a list of sessions. */
const NARROWEST_TITLE = 20;
/** Columns of the mark before a title and of the space after it. */
const AROUND_TITLE = 6;

async function chooseAmong(
  offered: readonly SessionSummary[],
  title: readonly Shown[],
  { controller, size }: SlashPlace,
): Promise<SessionSummary['session'] | undefined> {
  const { session: shown } = controller.state.get();
  const notes = offered.map((one) => noteOn(one, shown));
  const longest = Math.max(...notes.map((note) => note.length));
  const room = Math.max(NARROWEST_TITLE, size().columns - AROUND_TITLE - longest);
  const options = offered.map((one, index) => ({
    label: render(cutToWidth(one.title ?? one.session, room), false),
    note: notes[index] ?? '',
  }));
  const index = await controller.choose(title, options);
  return index === undefined ? undefined : offered[index]?.session;
}

function noteOn(one: SessionSummary, shown: SessionSummary['session'] | undefined): string {
  const at = timeOf(one).slice(0, 16).replace('T', ' ');
  return [
    at,
    ...(one.title === undefined ? [] : [one.session.slice(0, 8)]),
    ...(one.parent === undefined ? [] : ['a fork']),
    ...(one.session === shown ? ['shown now'] : []),
  ].join(', ');
}

const carryOn: SlashCommand = {
  name: 'continue',
  group: 'session',
  summary: 'resume the turn that was interrupted, cut off or limited',
  async run(_, place) {
    shownSession(place);
    requireIdle(place);
    place.controller.resume();
  },
};

/** Returns a command that shows a new session. */
function newSession(name: string, summary: string): SlashCommand {
  return {
    name,
    group: 'session',
    summary,
    async run(_, place) {
      requireIdle(place);
      const { session } = place.controller.state.get();
      await place.controller.openSession({ open: 'new' });
      const kept = session === undefined ? '' : ` The session before is kept: /resume ${session}`;
      place.controller.print([withStyle('dim', `This is a new session with an empty context.${kept}`)]);
    },
  };
}

/** Slash commands that change the shown session, or show another one. */
export const SESSION_COMMANDS: readonly SlashCommand[] = [
  newSession('new', 'start a new session; the shown one is kept'),
  newSession('clear', 'empty the context by starting a new session; the shown one is kept'),
  resume,
  sessions,
  carryOn,
  fork,
  rewind,
  compact,
];
