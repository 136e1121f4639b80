// State that the OpenAI part of the simulator keeps between calls. For Claude through a router, the caches of the
// Anthropic part are used.

import { createAnthropicCore } from '../anthropic/memory.ts';
import type { AnthropicCore } from '../anthropic/memory.ts';
import type { SimulatorSettings } from '../core/options.ts';
import { createResponseDiagnostics } from './responses/diagnostics.ts';
import type { ResponseDiagnostics } from './responses/diagnostics.ts';
import { createSeals } from './responses/reasoning.ts';
import type { Seals } from './responses/reasoning.ts';
import { createFleet } from './cache/machines.ts';
import type { Fleet } from './cache/machines.ts';
import { createStoredResponses } from './responses/stored.ts';
import type { StoredResponses } from './responses/stored.ts';

/** State of the OpenAI part: caches, issued reasoning, stored responses and fingerprints for diagnosis. */
export interface OpenAIMemory {
  readonly fleet: Fleet;
  readonly seals: Seals;
  readonly stored: StoredResponses;
  readonly diagnostics: ResponseDiagnostics;
}

/** State of the Anthropic part, plus the state of the OpenAI part. */
export interface OpenAICore extends AnthropicCore {
  readonly openai: OpenAIMemory;
}

/** Creates the state of all parts, without cache entries or stored responses. */
export function createOpenAICore(settings: SimulatorSettings): OpenAICore {
  return { ...createAnthropicCore(settings), openai: createOpenAIMemory() };
}

/** Returns the state of all parts to that of a new simulator. The object stays the same, so servers keep using it. */
export function resetCore(core: OpenAICore): void {
  Object.assign(core, createOpenAICore(core.settings));
}

function createOpenAIMemory(): OpenAIMemory {
  return {
    fleet: createFleet(),
    seals: createSeals(),
    stored: createStoredResponses(),
    diagnostics: createResponseDiagnostics(),
  };
}
