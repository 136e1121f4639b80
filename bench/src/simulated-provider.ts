// Simulator as a provider, on a clock that a benchmark controls. Each request arrives at the time that the log records
// for it.

import type { Capabilities, Provider, StreamPart } from '@tidemark/model';
import { anthropicEncoder, decodeMessage } from '@tidemark/provider-anthropic';
import { createOpenAIProvider, createOpenRouterProvider } from '@tidemark/provider-openai';
import type { Simulator } from '@tidemark/simulator';

import type { VirtualTime } from '@tidemark/agent/contract';

/** Simulator that answers the calls, and its settings. */
export interface SimulatedProviderOptions {
  readonly simulator: Simulator;
  readonly time: VirtualTime;
  /** Called between the beginning and the end of an answer. The answer waits for the returned promise. */
  readonly begun?: () => Promise<void>;
}

/** A provider, and a function that closes it. */
export interface SimulatedProvider {
  readonly provider: Provider;
  close(): Promise<void>;
}

/** Duration of an answer in milliseconds, far below the TTL of an entry. */
const ANSWER_MS = 4_000;

/**
 * Creates the provider of a model. Anthropic's provider calls the simulator in this process without a port. The other
 * providers use their official SDK over a port.
 */
export async function simulatedProvider(
  { provider }: Capabilities,
  options: SimulatedProviderOptions,
): Promise<SimulatedProvider> {
  if (provider === 'anthropic') return { provider: inProcess(options), close: async () => undefined };
  const listening = await options.simulator.listen();
  const { url } = listening;
  const apiKey = 'simulated';
  const reached =
    provider === 'openrouter'
      ? createOpenRouterProvider({ apiKey, baseURL: `${url}/api/v1` })
      : createOpenAIProvider({ apiKey, api: 'responses', baseURL: `${url}/v1` });
  return { provider: timed(reached, options), close: () => listening.close() };
}

/**
 * Creates Anthropic's provider, which calls the simulator directly. Its `send` throws an Error if the simulator refuses
 * a request, because the script or the engine is then wrong.
 */
function inProcess(options: SimulatedProviderOptions): Provider {
  return { name: 'anthropic', encoder: anthropicEncoder, send: ({ body, betas }) => answer(options, body, betas) };
}

async function* answer(
  { simulator, time, begun }: SimulatedProviderOptions,
  body: Uint8Array,
  betas: readonly string[],
): AsyncGenerator<StreamPart> {
  const outcome = simulator.messages({ body, betas });
  if (outcome.outcome === 'refused') throw new Error(`refused (${outcome.status} ${outcome.type}): ${outcome.message}`);
  const decoded = decodeMessage(JSON.stringify(outcome.message));
  yield { type: 'began', usage: decoded.usage };
  await begun?.();
  time.pass(ANSWER_MS);
  yield { type: 'finished', answer: decoded };
}

function timed(provider: Provider, { time, begun }: SimulatedProviderOptions): Provider {
  return {
    ...provider,
    async *send(outgoing) {
      for await (const part of provider.send(outgoing)) {
        if (part.type === 'finished') {
          await begun?.();
          time.pass(ANSWER_MS);
        }
        yield part;
      }
    },
  };
}
