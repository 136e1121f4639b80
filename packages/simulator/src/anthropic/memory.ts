// State that the Anthropic part of the simulator keeps between calls.

import { createCore } from '../core/core.ts';
import type { Core } from '../core/core.ts';
import type { SimulatorSettings } from '../core/options.ts';
import { createDiagnostics } from './diagnostics.ts';
import type { Diagnostics } from './diagnostics.ts';
import { createEntries } from './accounting.ts';
import type { EntryStore } from './accounting.ts';
import { createDigestMemory } from './judge.ts';
import type { DigestMemory } from './judge.ts';
import { createSignatures } from './thinking.ts';
import type { Signatures } from './thinking.ts';
import { createThreads } from './threads.ts';
import type { Threads } from './threads.ts';

/** State shared by the APIs of all providers, plus the state of the Anthropic part. */
export interface AnthropicCore extends Core {
  readonly signatures: Signatures;
  readonly digests: DigestMemory;
  readonly stores: Map<string, EntryStore>;
  readonly diagnostics: Diagnostics;
  readonly threads: Threads;
}

/** Creates the state of the Anthropic part, without cache entries or signatures. */
export function createAnthropicCore(settings: SimulatorSettings): AnthropicCore {
  return {
    ...createCore(settings),
    signatures: createSignatures(settings.recordedSignatures === 'issued'),
    digests: createDigestMemory(),
    stores: new Map(),
    diagnostics: createDiagnostics(),
    threads: createThreads(),
  };
}

/**
 * Returns the entry store of one account and model. Entries are never shared between accounts or between models
 * (provider-facts §1.1, "Isolation").
 */
export function storeOf(core: AnthropicCore, account: string, model: string): EntryStore {
  const key = `${account}\n${model}`;
  const known = core.stores.get(key);
  if (known !== undefined) return known;
  const store = createEntries();
  core.stores.set(key, store);
  return store;
}
