// Uses the simulator as the provider of a replay. The simulator receives each prepared request body as bytes and
// returns its usage.

import type { Prepared } from '@tidemark/agent';
import { itemAt } from '@tidemark/context';
import type { Timestamp } from '@tidemark/log';
import type { Answer, Capabilities, Usage } from '@tidemark/model';
import type { Simulator, SimulatorOptions, SimulatedUsage } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { RecordedCall } from './recorded-call.ts';

/**
 * Response of the server to a request. It contains the usage, and the answer itself if the answer was sent over HTTP.
 * If the server refused the request, it contains the reason.
 */
export type ServedRequest = { readonly usage: Usage; readonly answer?: Answer } | { readonly refused: string };

/**
 * Function that sends a prepared request at a given time. `call` is the recorded call, or `undefined` for a keep-warm
 * request.
 */
export type Serve = (prepared: Prepared, sentAt: Timestamp, call: RecordedCall | undefined) => Promise<ServedRequest>;

/** Server that answers prepared requests on a virtual clock. */
export interface Server {
  readonly serve: Serve;
  /** Registers a catalog row, so that the server knows its model. */
  readonly know: (capabilities: Capabilities) => void;
}

/** Server that a session shares with its forks. */
export interface ReplayProvider {
  readonly serve: Serve;
  /** Time of the last call, in milliseconds since the epoch. It never goes back. */
  told: number;
}

/**
 * Creates a simulator that serves only registered models. The simulator accepts recorded signatures as issued, and uses
 * the block sizes of the prepared requests.
 */
export function createServer(options: Pick<SimulatorOptions, 'promotion'> = {}): Server {
  const rows = new Map<string, Capabilities>();
  const simulator = createSimulator({
    capabilities: (model) => rows.get(model),
    clock: 'virtual',
    recordedSignatures: 'issued',
    firstByteMs: 0,
    ledgerCalls: 0,
    ...options,
  });
  return {
    know: (capabilities) => void rows.set(capabilities.model, capabilities),
    serve: async (prepared, sentAt) => send(simulator, prepared, sentAt),
  };
}

function send(simulator: Simulator, { body, betas, sequence }: Prepared, sentAt: Timestamp): ServedRequest {
  const outcome = simulator.messages({
    body,
    betas,
    at: Date.parse(sentAt),
    sizes: (index) => itemAt(sequence.blocks, index)?.tokens,
    answer: { text: 'recorded', outputTokens: 1 },
  });
  return outcome.outcome === 'answered'
    ? { usage: bucketsOf(outcome.usage) }
    : { refused: `${outcome.status} ${outcome.type}: ${outcome.message}` };
}

function bucketsOf(usage: SimulatedUsage): Usage {
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = usage.cache_creation;
  const writes = [
    { ttl: '5m' as const, tokens: short },
    { ttl: '1h' as const, tokens: long },
  ];
  return {
    fresh: usage.input_tokens,
    read: usage.cache_read_input_tokens,
    writes: writes.filter((one) => one.tokens > 0),
  };
}
