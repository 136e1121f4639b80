// What a simulator remembers between calls, whatever wire they use.

import { createClock } from './clock.ts';
import type { Clock } from './clock.ts';
import type { Fault } from './faults.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import type { TimedAnswerPlan, SimulatorSettings } from './options.ts';
import { playScenario } from './scenario.ts';
import type { Play } from './scenario.ts';

/** The memory that all wires share. */
export interface Core {
  readonly settings: SimulatorSettings;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly play: Play | undefined;
  /** For calls that have not come yet, first in front. */
  readonly plans: TimedAnswerPlan[];
  readonly faults: Fault[];
}

/** A memory of no call. */
export function createCore(settings: SimulatorSettings): Core {
  return {
    settings,
    clock: createClock(settings.clock),
    ledger: createLedger(settings.ledgerCalls),
    play: settings.scenario === undefined ? undefined : playScenario(settings.scenario),
    plans: [],
    faults: [],
  };
}
