// Everything a simulator remembers between calls.

import { createClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { createDiagnostics } from './diagnostics.ts';
import type { Diagnostics } from './diagnostics.ts';
import { createEntries } from './entries.ts';
import type { EntryStore } from './entries.ts';
import type { Fault } from './faults.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { createOpenAIMemory } from './openai/memory.ts';
import type { OpenAIMemory } from './openai/memory.ts';
import { createDigestMemory } from './judge.ts';
import type { DigestMemory } from './judge.ts';
import type { TimedAnswerPlan, SimulatorSettings } from './options.ts';
import { playScenario } from './scenario.ts';
import type { Play } from './scenario.ts';
import { createSignatures } from './signatures.ts';
import type { Signatures } from './signatures.ts';

/** The memory of a simulator. */
export interface Core {
  readonly settings: SimulatorSettings;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly signatures: Signatures;
  readonly digests: DigestMemory;
  readonly play: Play | undefined;
  /** For calls that have not come yet, first in front. */
  readonly plans: TimedAnswerPlan[];
  readonly faults: Fault[];
  readonly stores: Map<string, EntryStore>;
  readonly diagnostics: Diagnostics;
  /** What the OpenAI part remembers. */
  readonly openai: OpenAIMemory;
  /** Messages answered so far. */
  answered: number;
}

/** A simulator that has seen nothing. */
export function createCore(settings: SimulatorSettings): Core {
  return {
    settings,
    clock: createClock(settings.clock),
    ledger: createLedger(settings.ledgerCalls),
    signatures: createSignatures(settings.recordedSignatures === 'issued'),
    digests: createDigestMemory(),
    play: settings.scenario === undefined ? undefined : playScenario(settings.scenario),
    plans: [],
    faults: [],
    stores: new Map(),
    diagnostics: createDiagnostics(),
    openai: createOpenAIMemory(),
    answered: 0,
  };
}

/** The cache of one account and model: no other account, no other model reads it (§1.1 isolation). */
export function storeOf(core: Core, account: string, model: string): EntryStore {
  const key = `${account}\n${model}`;
  const known = core.stores.get(key);
  if (known !== undefined) return known;
  const store = createEntries();
  core.stores.set(key, store);
  return store;
}
