// The simulator as the provider of a drive: each prepared body goes in as bytes, its usage comes out.

import type { Prepared } from '@tidemark/agent';
import { itemAt } from '@tidemark/context';
import type { Timestamp } from '@tidemark/log';
import type { Answer, Capabilities, Usage } from '@tidemark/model';
import type { Simulator, SimulatorOptions, SimulatedUsage } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { RecordedCall } from './recorded-call.ts';

/** What the simulator said to a request: its usage, and the answer itself where it came over a wire. */
export type ServedRequest = { readonly usage: Usage; readonly answer?: Answer } | { readonly refused: string };

/** Sends a prepared request at a time, for a recorded call, or for none to keep a pause warm. */
export type Serve = (prepared: Prepared, sentAt: Timestamp, call: RecordedCall | undefined) => Promise<ServedRequest>;

/** Answers prepared requests on a virtual clock. */
export interface Server {
  readonly serve: Serve;
  /** Makes a row known under its model's name. */
  readonly know: (capabilities: Capabilities) => void;
}

/** A server as the drives of one family share it. */
export interface ReplayProvider {
  readonly serve: Serve;
  /** Milliseconds of the last call: time never goes back. */
  told: number;
}

/** A strict simulator that takes recorded signatures as issued, and sizes from the requests themselves. */
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
  const said = simulator.messages({
    body,
    betas,
    at: Date.parse(sentAt),
    sizes: (index) => itemAt(sequence.blocks, index)?.tokens,
    answer: { text: 'recorded', outputTokens: 1 },
  });
  return said.outcome === 'answered'
    ? { usage: bucketsOf(said.usage) }
    : { refused: `${said.status} ${said.type}: ${said.message}` };
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
