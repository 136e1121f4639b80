// Observes a provider: records each request body and its usage, and can send the same bytes again.

import type { Outgoing, Provider, StreamPart, Usage } from '@tidemark/model';

/** One call that was answered. */
export interface MeteredCall {
  /** Request without its abort signal, which is no longer needed. */
  readonly outgoing: Outgoing;
  readonly usage: Usage;
}

/** Provider that records each request body and its usage, and can send the same bytes again. */
export interface SmokeMeter {
  /** Observed provider, to be passed to the engine. */
  readonly provider: Provider;
  /** Answered calls, in the order of their answers. */
  readonly calls: readonly MeteredCall[];
  /** Last error that the provider threw. The engine reports such an error only with its own message. */
  readonly failure: Error | undefined;
  /**
   * Sends a request without the engine.
   *
   * @throws ProviderError as the provider does.
   */
  send(outgoing: Outgoing): Promise<MeteredCall>;
}

export function createMeter(provider: Provider): SmokeMeter {
  const calls: MeteredCall[] = [];
  let failure: Error | undefined;
  async function* send(outgoing: Outgoing): AsyncGenerator<StreamPart, void> {
    const { body, betas } = outgoing;
    try {
      for await (const part of provider.send(outgoing)) {
        if (part.type === 'finished') calls.push({ outgoing: { body, betas }, usage: part.answer.usage });
        yield part;
      }
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }
  return {
    provider: { ...provider, send },
    calls,
    get failure() {
      return failure;
    },
    async send(outgoing) {
      for await (const part of send(outgoing)) if (part.type === 'finished') break;
      const call = calls.at(-1);
      if (call === undefined) throw new Error('the provider ended without an answer');
      return call;
    },
  };
}
