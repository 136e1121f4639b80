// Memory of the OpenAI part between calls. Claude through a router uses the caches of the Anthropic part.

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

/** Memory of the OpenAI part. */
export interface OpenAIMemory {
  readonly fleet: Fleet;
  readonly seals: Seals;
  readonly stored: StoredResponses;
  readonly diagnostics: ResponseDiagnostics;
  /** Number of responses and completions answered so far. */
  answered: number;
}

/** Memory of all parts. */
export interface OpenAICore extends AnthropicCore {
  readonly openai: OpenAIMemory;
}

/** Creates an empty memory. */
export function createOpenAICore(settings: SimulatorSettings): OpenAICore {
  return { ...createAnthropicCore(settings), openai: createOpenAIMemory() };
}

function createOpenAIMemory(): OpenAIMemory {
  return {
    fleet: createFleet(),
    seals: createSeals(),
    stored: createStoredResponses(),
    diagnostics: createResponseDiagnostics(),
    answered: 0,
  };
}
