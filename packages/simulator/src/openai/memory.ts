// Everything the OpenAI part remembers between calls.

import { createResponseDiagnostics } from './diagnostics.ts';
import type { ResponseDiagnostics } from './diagnostics.ts';
import { createSeals } from './reasoning.ts';
import type { Seals } from './reasoning.ts';
import { createFleet } from './routing.ts';
import type { Fleet } from './routing.ts';
import { createStoredResponses } from './stored.ts';
import type { StoredResponses } from './stored.ts';

/** The memory of this part. */
export interface OpenAIMemory {
  readonly fleet: Fleet;
  readonly seals: Seals;
  readonly stored: StoredResponses;
  readonly diagnostics: ResponseDiagnostics;
  /** Responses and completions answered so far. */
  answered: number;
}

/** A memory of nothing. */
export function createOpenAIMemory(): OpenAIMemory {
  return {
    fleet: createFleet(),
    seals: createSeals(),
    stored: createStoredResponses(),
    diagnostics: createResponseDiagnostics(),
    answered: 0,
  };
}
