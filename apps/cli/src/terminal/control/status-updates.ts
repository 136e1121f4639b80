// Keeps the facts of the status line current: folds the events of the session, and asks for a new forecast after each
// event that changes the next call.

import type { SessionEvent } from '@tidemark/agent';
import type { AgentSession, GitHead } from '@tidemark/kit';
import { gitHead } from '@tidemark/kit';
import type { Recorded } from '@tidemark/log';

import type { Observable } from '../state/observable.ts';
import type { StatusFacts } from '../state/status-facts.ts';
import { foldStatus, withForecast } from '../state/status-facts.ts';
import type { TerminalState } from '../state/terminal-state.ts';

/** Updates of the status line. */
export interface StatusUpdates {
  /** Takes an event of the shown session. */
  take(event: SessionEvent): void;
  /** Asks for the forecast and the branch. Called after a command that may have changed the next call. */
  refresh(): Promise<void>;
}

/** Environment of the updates. `session` returns the shown session, and `workspace` its folder. */
export interface StatusPlace {
  readonly state: Observable<TerminalState>;
  session(): AgentSession | undefined;
  workspace(): string | undefined;
}

/** Kinds of records after which the next call can be another one. The end of a turn is seen in the state. */
const CHANGING: ReadonlySet<Recorded['kind']> = new Set<Recorded['kind']>([
  'history.compacted',
  'mode.changed',
  'reasoning.set',
  'notification.received',
  'context.noted',
]);

/** Creates the updates of one terminal. */
export function createStatusUpdates(place: StatusPlace): StatusUpdates {
  const { state } = place;
  const change = (next: (facts: StatusFacts) => StatusFacts): void => {
    const now = state.get();
    state.set({ ...now, status: next(now.status) });
  };
  async function ask(): Promise<void> {
    const session = place.session();
    const workspace = place.workspace();
    // A forecast that fails is unknown. The next prompt reports the error of the session.
    const [next, head] = await Promise.all([
      session?.forecast().catch(() => undefined),
      workspace === undefined ? undefined : gitHead(workspace).catch(() => undefined),
    ]);
    if (place.session() === session) change((facts) => withBranch(withForecast(facts, next), head));
  }
  const refresh = coalesced(ask);
  let { running } = state.get();
  state.subscribe(() => {
    const before = running;
    ({ running } = state.get());
    if (before && !running) void refresh();
  });
  return {
    refresh,
    take(event) {
      if (event.type !== 'recorded') {
        if (event.type === 'status.changed' || event.type === 'cache.warming')
          change((facts) => foldStatus(facts, event));
        if (event.type === 'cache.warming') void refresh();
        return;
      }
      const { record } = event;
      const before = state.get().status;
      const after = foldStatus(before, event);
      if (after !== before) change(() => after);
      if (CHANGING.has(record.kind)) void refresh();
    },
  };
}

function withBranch(facts: StatusFacts, head: GitHead | undefined): StatusFacts {
  const { branch: _before, ...rest } = facts;
  if (head?.at === 'branch') return { ...rest, branch: head.branch };
  return head?.at === 'commit' ? { ...rest, branch: head.commit.slice(0, 7) } : rest;
}

/** Returns a function that runs `work` one call at a time. Calls during a run lead to one more run after it. */
function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let again = false;
  const run = async (): Promise<void> => {
    do {
      again = false;
      await work();
    } while (again);
    running = undefined;
  };
  return () => {
    again = true;
    running ??= run();
    return running;
  };
}
