// Finds the session that the user names: by its id, by the start of its id, or by its title.

import { createSecrets, secretsOf } from '@tidemark/agent';
import type { Log, SessionId, SessionSummary } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';

import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { formatNumber } from '../frame/numbers.ts';
import type { CommandOutput } from '../frame/output.ts';
import { withStyle } from '../frame/shown.ts';

/** Parts of the context that are needed to find a session. */
export interface SessionSearch extends Pick<CommandContext, 'folder' | 'environment'> {
  /** Returns the store that is searched. */
  store(): Promise<Log>;
  /** Output on which the found session is reported. */
  readonly output: Pick<CommandOutput, 'note'>;
}

/** Session with the fields that a person recognises it by. */
type NameableSession = Pick<SessionSummary, 'session'> & Partial<SessionSummary>;

/**
 * Returns the session that a text names, as `seekSession`.
 *
 * @throws CliError `cli/not-found` when no session matches, or several do.
 * @throws LogError `log/missing` when no session matches a text that has the form of an id.
 */
export async function findSession(
  text: string,
  context: Pick<SessionSearch, 'store' | 'output' | 'environment'>,
): Promise<SessionId> {
  const found = await seekSession(text, context);
  if (found !== undefined) return found;
  const message = `no session has the id or the title ${JSON.stringify(text)}`;
  // A text with the form of an id has the code of a missing session.
  const session = asId(text);
  if (session !== undefined) throw new LogError('log/missing', message, { session });
  throw new CliError('cli/not-found', message, '`tidemark sessions` lists the sessions');
}

/**
 * Returns the session with this id. If there is none, returns the only session whose id begins with the text or whose
 * title is the text, and otherwise the only session whose title contains it. The case of a title is ignored. A session
 * that was not named by its whole id is reported on stderr. Returns `undefined` if no session matches.
 *
 * @throws CliError `cli/not-found` when several sessions match. The error lists them.
 */
export async function seekSession(
  text: string,
  context: Pick<SessionSearch, 'store' | 'output' | 'environment'>,
): Promise<SessionId | undefined> {
  const store = await context.store();
  const whole = asId(text);
  if (whole !== undefined && (await exists(store, whole))) return whole;
  const { sessions, unreadable } = await store.sessions();
  const lost = unreadable.flatMap(({ session }): NameableSession[] => {
    const id = asId(session);
    return id === undefined ? [] : [{ session: id }];
  });
  const matching = matchingSessions(text, [...sessions, ...lost]);
  const [only, ...others] = matching;
  if (only === undefined) return undefined;
  if (others.length > 0) throw await ambiguous(text, matching, context);
  if (only.session !== text) await reportFound(only, context);
  return only.session;
}

/**
 * Returns the sessions that a text can mean. The session with this id excludes all others, and the start of an id or a
 * whole title excludes a part of a title. With `any`, nothing is excluded.
 */
export function matchingSessions<T extends NameableSession>(
  text: string,
  sessions: readonly T[],
  which: 'best' | 'any' = 'best',
): readonly T[] {
  const wanted = comparable(text);
  if (wanted === '') return [];
  const begins = ({ session }: T): boolean => session.toLowerCase().startsWith(wanted);
  const contains = ({ title = '' }: T): boolean => comparable(title).includes(wanted);
  if (which === 'any') return sessions.filter((one) => begins(one) || contains(one));
  const whole = sessions.filter(({ session }) => session === text);
  if (whole.length > 0) return whole;
  const named = sessions.filter((one) => begins(one) || comparable(one.title ?? '') === wanted);
  return named.length > 0 ? named : sessions.filter(contains);
}

function comparable(text: string): string {
  return text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

function asId(text: string): SessionId | undefined {
  try {
    return sessionId(text);
  } catch {
    return undefined;
  }
}

/** Returns true if the store has the session. A session whose records cannot be read exists, too. */
async function exists(store: Log, session: SessionId): Promise<boolean> {
  try {
    for await (const _ of store.read(session, 0, 0)) break;
    return true;
  } catch (error) {
    return !(error instanceof LogError && error.code === 'log/missing');
  }
}

/** Reports a session that was not named by its whole id. */
export async function reportFound(
  { session, title }: NameableSession,
  { output, environment }: Pick<SessionSearch, 'output' | 'environment'>,
): Promise<void> {
  const name = title === undefined ? '' : `: ${inOneLine(await maskedNow(title, environment))}`;
  output.note([withStyle('dim', `session ${session}${name}`)]);
}

/** Maximum number of sessions that an error lists. */
const MOST_LISTED = 8;
/** Longest title in a line, in characters. */
const LONGEST_TITLE = 60;

/** Masks the secrets in a title once more: a variable may have got its value after the title was stored. */
function maskedNow(title: string, environment: SessionSearch['environment']): Promise<string> {
  return createSecrets({ values: secretsOf(environment) }).mask(title);
}

async function ambiguous(
  text: string,
  matching: readonly NameableSession[],
  { environment }: Pick<SessionSearch, 'environment'>,
): Promise<CliError> {
  const now = Date.now();
  const newest = matching.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  const lines = await Promise.all(
    newest.slice(0, MOST_LISTED).map(async (one) => {
      const title = one.title === undefined ? 'without a title' : await maskedNow(one.title, environment);
      return `\n  ${one.session}  ${ageOf(timeOf(one), now)}  ${inOneLine(title)}`;
    }),
  );
  const more = newest.length - lines.length;
  return new CliError(
    'cli/not-found',
    `${JSON.stringify(text)} means ${formatNumber(matching.length)} sessions:${lines.join('')}${more > 0 ? `\n  … ${formatNumber(more)} more` : ''}`,
    'name the session by its id, or by a longer start of it',
  );
}

function inOneLine(title: string): string {
  const line = title.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE).trimEnd()}…`;
}

/** Returns the time of the last change of a session, or of its creation if that is not known. */
export function timeOf({ changedAt, createdAt }: NameableSession): string {
  return changedAt ?? createdAt ?? '';
}

const MINUTE = 60_000;

/** Returns the age of a session, such as `3 h ago`. A time in the future or an unknown one has no age. */
export function ageOf(time: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(time)) / MINUTE);
  if (Number.isNaN(minutes) || minutes < 0) return 'age unknown';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${formatNumber(Math.floor(minutes / (24 * 60)))} days ago`;
}
