// The `usage` of an answer, with exactly the fields of §1.4, and what each stream event repeats of it.

import type { CacheCounts } from './accounting.ts';
import type { WrongUsage } from '../core/faults.ts';
import type { SimulatedUsage } from '../core/ledger.ts';

/** What an answer adds to the account of its input. */
export interface OutputCounts {
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly speed: SimulatedUsage['speed'];
}

/** Writes an account as `usage`. */
export function usageOf(counts: CacheCounts, output: OutputCounts): SimulatedUsage {
  return {
    input_tokens: counts.fresh,
    cache_creation_input_tokens: counts.written5m + counts.written1h,
    cache_read_input_tokens: counts.read,
    cache_creation: {
      ephemeral_5m_input_tokens: counts.written5m,
      ephemeral_1h_input_tokens: counts.written1h,
    },
    output_tokens: output.outputTokens,
    output_tokens_details: output.thinkingTokens === 0 ? null : { thinking_tokens: output.thinkingTokens },
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: 'not_available',
    speed: output.speed,
  };
}

/** All input tokens: the three fields together. */
export function totalInput(usage: SimulatedUsage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

/** The usage that is told when a fault wants it wrong. */
export function distort(usage: SimulatedUsage, wrong: WrongUsage | undefined): SimulatedUsage {
  return wrong === undefined ? usage : { ...usage, ...wrong };
}
