// List of the sessions with their figures, read in pages.

import type { Signal } from '@preact/signals';
import { signal } from '@preact/signals';
import type { SessionClient } from '@tidemark/client';
import { answerOf, RequestError } from '@tidemark/client';
import { textOf } from './connection.ts';
import type { ListedSession } from './session-tree.ts';

/** A list that is being read. */
export interface FollowedSessions {
  readonly sessions: Signal<readonly ListedSession[]>;
  /** True after the last page. */
  readonly complete: Signal<boolean>;
  readonly problem: Signal<string>;
}

/** Choice of sessions, and the end of the reading. */
export interface SessionChoice {
  /** Text that the title contains. */
  readonly title: string;
  readonly ended: AbortSignal;
}

/** Sessions of a page. The first page is small, so that it is shown early. */
const [FIRST_PAGE, PAGE] = [100, 500];
/** Time until the list is asked for again while the server reads the logs, in milliseconds. */
const AGAIN_MS = 2_000;
/** Time until sessions that changed are read again, in milliseconds. */
const REFRESH_MS = 5_000;
/** A refresh that takes long, as in a home with many sessions, comes less often: it takes at most a part of the time. */
const REFRESH_SHARE = 20;

/** Creates a list without sessions. */
export function emptyList(): FollowedSessions {
  return { sessions: signal([]), complete: signal(false), problem: signal('') };
}

/** Reads the sessions, latest change first, and then those that change, until the signal aborts. */
export async function followSessions(
  client: SessionClient,
  list: FollowedSessions,
  choice: SessionChoice,
): Promise<void> {
  const { ended } = choice;
  list.complete.value = false;
  let [after, found]: [string | undefined, readonly ListedSession[]] = [undefined, []];
  while (!ended.aborted && !list.complete.value) {
    const page = await readPage(client, list, { ...choice, after });
    if (page === 'later') await pause(AGAIN_MS);
    if (page === undefined) return;
    if (page === 'later') continue;
    found = [...found, ...page.sessions];
    list.sessions.value = found;
    after = page.next ?? undefined;
    list.complete.value = after === undefined;
  }
  for (let wait = REFRESH_MS; !ended.aborted;) {
    await pause(wait);
    if (ended.aborted || document.visibilityState !== 'visible') continue;
    const began = performance.now();
    await refresh(client, list, choice);
    wait = Math.max(REFRESH_MS, REFRESH_SHARE * (performance.now() - began));
  }
}

/** Reads the sessions that changed last, and puts them first. */
async function refresh(client: SessionClient, list: FollowedSessions, choice: SessionChoice): Promise<void> {
  const page = await readPage(client, list, { ...choice, after: undefined });
  if (page === undefined || page === 'later') return;
  const changed = new Set(page.sessions.map(({ session }) => session));
  const others = list.sessions.value.filter(({ session }) => !changed.has(session));
  list.sessions.value = [...page.sessions, ...others];
}

interface AskedPage extends SessionChoice {
  readonly after: string | undefined;
}

/** Returns a page, `later` while the server reads the logs, or nothing after another error. */
async function readPage(client: SessionClient, { problem }: FollowedSessions, { title, after, ended }: AskedPage) {
  const query = {
    limit: after === undefined ? FIRST_PAGE : PAGE,
    ...(title !== '' && { title }),
    ...(after !== undefined && { after }),
  };
  try {
    const page = await answerOf(client.GET('/analytics/sessions', { params: { query }, signal: ended }));
    problem.value = '';
    return page;
  } catch (error) {
    if (ended.aborted) return undefined;
    problem.value = textOf(error);
    return error instanceof RequestError && error.code === 'server/reading' ? 'later' : undefined;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
