// Slash commands that change the shown session, or show another one.

import { defined } from '@tidemark/core';
import type { CompactionReport } from '@tidemark/kit';
import type { SessionSummary } from '@tidemark/log';

import { recordArgument } from '../../arguments/record-argument.ts';
import { findSession } from '../../arguments/session-argument.ts';
import { CliError } from '../../frame/failure.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { compactionInWords } from '../../reports/compaction-report.ts';
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
    place.controller.print(compactionInWords(session.id, made).split('\n'));
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
  return findSession(text, { store: context.store, output: { note: (shown) => void notes.push(shown) } });
}

/** Sessions that the list offers. Older ones are opened by their id. */
const OFFERED = 50;

async function otherSessions({ controller, context }: SlashPlace): Promise<readonly SessionSummary[]> {
  const log = await context.store();
  const { sessions } = await log.sessions({ workspace: controller.workspace() });
  const { session: id, unwritable } = controller.state.get();
  const shown = unwritable === true ? undefined : id;
  return sessions
    .filter(({ session, startedBy }) => session !== shown && startedBy === undefined)
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)))
    .slice(0, OFFERED);
}

function timeOf({ changedAt, createdAt }: SessionSummary): string {
  return changedAt ?? createdAt;
}

async function chooseSession(place: SlashPlace): Promise<SessionSummary['session'] | undefined> {
  const sessions = await otherSessions(place);
  if (sessions.length === 0) {
    place.controller.print(['This folder has no other session.']);
    return undefined;
  }
  const options = sessions.map((one) => ({
    label: one.title ?? one.session,
    note: `${timeOf(one).slice(0, 16).replace('T', ' ')}${one.parent === undefined ? '' : ', a fork'}`,
  }));
  const index = await place.controller.choose(['Which session?'], options);
  return index === undefined ? undefined : sessions[index]?.session;
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
  carryOn,
  fork,
  rewind,
  compact,
];
