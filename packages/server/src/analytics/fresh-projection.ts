// Keeps the projection of the sessions up to date for its readers. Only one update runs at a time, and a reader that
// comes soon after an update reads its rows.

import type { SessionProblem, SessionProjection } from '@tidemark/analytics';
import type { SessionId } from '@tidemark/log';
import { ServerError } from '../errors.ts';

/** Age from which the rows are updated before they are read, in milliseconds. */
const FRESH_MS = 1_000;
/** Longest wait of a reader for an update, in milliseconds. */
const LONGEST_WAIT_MS = 10_000;

/** Projection whose rows are up to date when they are read. */
export interface FreshProjection {
  /**
   * Calls a function with the projection after an update.
   *
   * @throws ServerError `server/reading` if the update takes long, as the first one in a home with many sessions does.
   */
  read<Result>(ask: (projection: SessionProjection) => Promise<Result>): Promise<Result & Freshness>;
  /**
   * Calls a function with the projection after an update of one session, which takes no longer in a home with many
   * sessions. Only the rows of this session are up to date.
   *
   * @throws ServerError `server/reading` if the update takes long.
   */
  readSession<Result>(
    session: SessionId,
    ask: (projection: SessionProjection) => Promise<Result>,
  ): Promise<Result & Freshness>;
  /**
   * Calls a function with the projection after an update of the rows and of the index of the texts.
   *
   * @throws ServerError `server/reading` if an update takes long, as the first search in a home with many sessions does.
   */
  readTexts<Result>(ask: (projection: SessionProjection) => Promise<Result>): Promise<Result & Freshness>;
  /** Ends a running update and closes the projection. */
  close(): Promise<void>;
}

/** Time of the last update, and the sessions that it could not read to their end. */
export interface Freshness {
  readonly updatedAt: string;
  readonly problems: readonly SessionProblem[];
}

/** Creates the projection of a server. The caller gives up the projection: `close` closes it. */
export function createFreshProjection(projection: SessionProjection): FreshProjection {
  const over = new AbortController();
  let updating: Promise<Freshness> | undefined;
  let last: { readonly freshness: Freshness; readonly at: number } | undefined;
  const single = updatesOfSessions(projection, over.signal);
  let progress = '';
  const update = async (): Promise<Freshness> => {
    const { problems } = await projection.update({
      signal: over.signal,
      onProgress: ({ sessions, sessionsRead }) => {
        progress = `${sessionsRead} of ${sessions} sessions`;
      },
    });
    const freshness = { updatedAt: new Date().toISOString(), problems };
    last = { freshness, at: performance.now() };
    return freshness;
  };
  const fresh = async (): Promise<Freshness> => {
    if (last !== undefined && performance.now() - last.at < FRESH_MS) return last.freshness;
    updating ??= update().finally(() => {
      updating = undefined;
    });
    const done = await withinTime(updating);
    if (done !== undefined) return done;
    throw new ServerError(
      'server/reading',
      `the logs are being read for the analytics: ${progress}`,
      'send the request again in a few seconds',
    );
  };
  const texts = updatesOfTexts(projection, over.signal);
  return {
    async readSession(session, ask) {
      const freshness = await single.update(session);
      return { ...(await ask(projection)), ...freshness };
    },
    async readTexts(ask) {
      const freshness = await fresh();
      await texts.update();
      return { ...(await ask(projection)), ...freshness };
    },
    async read(ask) {
      const freshness = await fresh();
      return { ...(await ask(projection)), ...freshness };
    },
    async close() {
      over.abort();
      await Promise.allSettled([updating, single.settled(), texts.settled()]);
      await projection.close();
    },
  };
}

/** Updates of the index of the texts. Searches that come together share one. */
interface TextUpdates {
  /** @throws ServerError `server/reading` if the update takes long. */
  update(): Promise<void>;
  /** Waits for the end of a running update. */
  settled(): Promise<unknown>;
}

function updatesOfTexts(projection: SessionProjection, signal: AbortSignal): TextUpdates {
  let running: Promise<true> | undefined;
  let progress = '';
  const begin = async (): Promise<true> => {
    await projection.updateTexts({
      signal,
      onProgress: ({ sessions, sessionsRead }) => {
        progress = `${sessionsRead} of ${sessions} sessions`;
      },
    });
    return true;
  };
  return {
    async update() {
      running ??= begin().finally(() => {
        running = undefined;
      });
      if ((await withinTime(running)) === true) return;
      throw new ServerError(
        'server/reading',
        `the texts are being read for the search: ${progress}`,
        'send the request again in a few seconds',
      );
    },
    settled: () => Promise.allSettled([running]),
  };
}

/** Updates of single sessions. Readers that come together share the update of their session. */
interface SessionUpdates {
  /** @throws ServerError `server/reading` if the update takes long. */
  update(session: SessionId): Promise<Freshness>;
  /** Waits for the end of the running updates. */
  settled(): Promise<unknown>;
}

function updatesOfSessions(projection: SessionProjection, signal: AbortSignal): SessionUpdates {
  const running = new Map<SessionId, Promise<Freshness>>();
  const begin = async (session: SessionId): Promise<Freshness> => {
    const { problems } = await projection.update({ sessions: [session], signal });
    return { updatedAt: new Date().toISOString(), problems };
  };
  return {
    async update(session) {
      const updating = running.get(session) ?? begin(session).finally(() => running.delete(session));
      running.set(session, updating);
      const done = await withinTime(updating);
      if (done !== undefined) return done;
      throw new ServerError(
        'server/reading',
        `the log of session ${session} is being read for the analytics`,
        'send the request again in a few seconds',
      );
    },
    settled: () => Promise.allSettled(running.values()),
  };
}

/** Returns the result of an update, or `undefined` if it takes too long. The update then runs on. */
async function withinTime<Result>(updating: Promise<Result>): Promise<Result | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), LONGEST_WAIT_MS);
  // The error of an update that runs on is thrown to the next reader.
  updating.catch(() => undefined);
  try {
    return await Promise.race([updating, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
