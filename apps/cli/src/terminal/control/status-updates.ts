// Keeps the forecast and the branch of the status line current. Both are read again when another session is shown, when
// a turn has ended, and after each event that changes the next call.

import type { AgentSession, GitHead, NextCall } from '@tidemark/kit';
import { gitHead } from '@tidemark/kit';

import type { Observable } from '../state/observable.ts';
import type { StatusFacts } from '../state/status-facts.ts';
import { withForecast } from '../state/status-facts.ts';
import type { TerminalState } from '../state/terminal-state.ts';

/** Environment of the updates. `session` returns the shown session, and `workspace` its folder. */
export interface StatusPlace {
  readonly state: Observable<TerminalState>;
  session(): AgentSession | undefined;
  /** Forecasts the call of a prompt with the text in the editor. */
  forecast(): Promise<NextCall | undefined>;
  workspace(): string;
}

/**
 * Starts the updates of one terminal. Returns a function that reads the forecast and the branch now. It resolves when
 * the state contains them.
 */
export function createStatusUpdates({ state, session: shown, workspace, forecast }: StatusPlace): () => Promise<void> {
  const refresh = coalesced(async () => {
    const session = shown();
    const folder = workspace();
    // A forecast that fails is unknown. The next prompt reports the error of the session.
    const [next, head] = await Promise.all([
      forecast().catch(() => undefined),
      folder === '' ? undefined : gitHead(folder).catch(() => undefined),
    ]);
    if (shown() !== session) return;
    const now = state.get();
    state.set({ ...now, status: withBranch(withForecast(now.status, next), head) });
  });
  let before = state.get();
  state.subscribe(() => {
    const now = state.get();
    const isOutdated =
      now.generation !== before.generation ||
      now.session !== before.session ||
      now.status.changes !== before.status.changes ||
      now.mode !== before.mode ||
      (before.running && !now.running);
    before = now;
    if (isOutdated) void refresh();
  });
  return refresh;
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
