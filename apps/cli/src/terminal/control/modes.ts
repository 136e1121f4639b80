// Modes of the terminal. The plan mode is the permission mode `read-only` with a notification: the model is asked to end
// its answer with a plan. After the turn, the user decides about the plan.

import type { AgentSession, Mode } from '@tidemark/kit';
import type { NotificationReceived } from '@tidemark/log';

import type { Controller, TerminalMode } from '../state/controller.ts';
import type { TerminalState } from '../state/terminal-state.ts';

/** Modes of one terminal. */
export interface Modes extends Pick<Controller, 'nextMode' | 'setMode'> {
  /** Records a notification about the plan mode if the model does not know yet that it began or ended. */
  inform(session: AgentSession): Promise<void>;
  /** Returns the notification that the next prompt will record, if there is one. */
  notification(): NotificationReceived | undefined;
  /** Called when another session is shown: its model knows nothing about the plan mode. */
  forget(): void;
  /** Asks the user about the plan of a turn. Does nothing outside of the plan mode. */
  offerPlan(): Promise<void>;
}

/** Environment of the modes. */
export interface ModesPlace extends Pick<Controller, 'state' | 'report' | 'choose' | 'session'> {
  change(next: Partial<TerminalState>): void;
  setPermissionMode(mode: Mode): Promise<void>;
  prompt(text: string): void;
}

/** Modes in the order in which a key selects them. */
export const TERMINAL_MODES: readonly TerminalMode[] = ['read-only', 'ask', 'accept-edits', 'auto', 'plan'];

const SOURCE = { source: 'plan-mode', provenance: 'tidemark' } as const;

const BEGUN = {
  ...SOURCE,
  body: 'Plan mode is on while the permission mode is read-only. Do not change anything. Read what you need, then end your answer with a plan: numbered steps, each with the files that it changes, and how the result is checked. The user decides about the plan before anything is changed.',
};

const OVER = { ...SOURCE, body: 'Plan mode is off.' };

/** Creates the modes of one terminal. */
export function createModes(place: ModesPlace): Modes {
  let informed = false;
  // Mode that was chosen last. The state follows when the mode is recorded.
  let chosen: TerminalMode | undefined;
  const notification = (): NotificationReceived | undefined => {
    const plans = place.state.get().mode === 'plan';
    if (plans === informed) return undefined;
    return plans ? BEGUN : OVER;
  };
  const inform = async (session: AgentSession): Promise<void> => {
    const next = notification();
    if (next === undefined) return;
    informed = next === BEGUN;
    await session.notify(next);
  };
  const setMode = async (mode: TerminalMode): Promise<void> => {
    chosen = mode;
    try {
      await place.setPermissionMode(mode === 'plan' ? 'read-only' : mode);
    } catch (error) {
      chosen = undefined;
      throw error;
    }
    place.change({ mode });
    const session = place.session();
    if (session?.running === true) await inform(session);
  };
  return {
    inform,
    notification,
    setMode,
    forget() {
      informed = false;
      chosen = undefined;
    },
    nextMode() {
      const mode = chosen ?? place.state.get().mode;
      const next = TERMINAL_MODES[(TERMINAL_MODES.indexOf(mode) + 1) % TERMINAL_MODES.length] ?? 'ask';
      setMode(next).catch(place.report);
    },
    async offerPlan() {
      if (place.state.get().mode !== 'plan') return;
      const index = await place.choose(['Carry out this plan?'], PLAN_CHOICES);
      const mode = index === undefined ? undefined : PLAN_MODES[index];
      if (mode === undefined) return;
      await setMode(mode);
      place.prompt('Carry out the plan.');
    },
  };
}

const PLAN_MODES: readonly Mode[] = ['ask', 'accept-edits', 'auto'];

const PLAN_CHOICES = [
  { label: 'carry it out, ask before changes', note: 'mode ask', key: 'y' },
  { label: 'carry it out, ask before commands', note: 'mode accept-edits', key: 'e' },
  { label: 'carry it out', note: 'mode auto', key: 'a' },
  { label: 'keep planning', note: 'mode plan', key: 'k' },
];
