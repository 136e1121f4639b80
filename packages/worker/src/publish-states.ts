// Publishes the states of the sessions that a worker has open, so that servers of any machine can show them.

import type { SessionId } from '@tidemark/log';
import type { RemoteState } from '@tidemark/server';
import type { LiveStates } from '@tidemark/store-postgres';

import type { TenantApp } from './run-command.ts';

/** Published states of one worker, by tenant and session. */
export interface StatePublisher {
  /** Publishes the states of a tenant that have changed, and removes those of closed sessions. */
  publish(tenant: string, app: Pick<TenantApp['app'], 'open' | 'state'>): Promise<void>;
}

interface PublishedState {
  readonly json: string;
  /** Time of `performance.now()`. */
  readonly at: number;
}

/**
 * Time after which an unchanged state is published again, in milliseconds: the database loses the states when it
 * crashes, and a session that was opened again has a new fence.
 */
const AGAIN_MS = 5_000;

/** Creates a publisher that has published nothing. */
export function createStatePublisher(states: LiveStates): StatePublisher {
  const tenants = new Map<string, Map<SessionId, PublishedState>>();
  return {
    async publish(tenant, app) {
      const published = tenants.get(tenant) ?? new Map<SessionId, PublishedState>();
      tenants.set(tenant, published);
      const put = async (session: SessionId, json: string | undefined): Promise<void> => {
        const last = published.get(session);
        const now = performance.now();
        if (last !== undefined && last.json === json && now - last.at < AGAIN_MS) return;
        await states.put({ tenant, session }, json);
        if (json === undefined) published.delete(session);
        else published.set(session, { json, at: now });
      };
      const sessions = new Set([...app.open(), ...published.keys()]);
      await Promise.all(
        Array.from(sessions, (session) => {
          const state = app.state(session);
          return put(session, state && stateText(state));
        }),
      );
    },
  };
}

/** Longest published end of a text, of an output, and most outputs. */
const LONGEST_TEXT = 131_072;
const LONGEST_OUTPUT = 8_192;
const MOST_OUTPUTS = 16;

/** Returns a state as JSON of a bounded size. Only questions are never cut, because a person decides by them. */
export function stateText(state: RemoteState): string {
  return JSON.stringify({
    ...state,
    text: state.text.slice(-LONGEST_TEXT),
    reasoning: state.reasoning.slice(-LONGEST_TEXT),
    outputs: state.outputs.slice(-MOST_OUTPUTS).map(({ call, text }) => ({ call, text: text.slice(-LONGEST_OUTPUT) })),
  });
}
