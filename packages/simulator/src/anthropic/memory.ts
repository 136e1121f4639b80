// Everything that the Anthropic part remembers between calls.

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

/** The shared memory with that of this part. */
export interface AnthropicCore extends Core {
  readonly signatures: Signatures;
  readonly digests: DigestMemory;
  readonly stores: Map<string, EntryStore>;
  readonly diagnostics: Diagnostics;
  /** Messages answered so far. */
  answered: number;
}

/** A memory of no call. */
export function createAnthropicCore(settings: SimulatorSettings): AnthropicCore {
  return {
    ...createCore(settings),
    signatures: createSignatures(settings.recordedSignatures === 'issued'),
    digests: createDigestMemory(),
    stores: new Map(),
    diagnostics: createDiagnostics(),
    answered: 0,
  };
}

/** The cache of one account and model: no other account, no other model reads it (§1.1 isolation). */
export function storeOf(core: AnthropicCore, account: string, model: string): EntryStore {
  const key = `${account}\n${model}`;
  const known = core.stores.get(key);
  if (known !== undefined) return known;
  const store = createEntries();
  core.stores.set(key, store);
  return store;
}
