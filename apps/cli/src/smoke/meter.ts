// A provider under watch: each body that went out through it, what came of it, and the same bytes sent once more.

import type { Outgoing, Provider, StreamPart, Usage } from '@tidemark/model';

/** One call that was answered. */
export interface MeteredCall {
  /** Without the signal, whose time is over. */
  readonly outgoing: Outgoing;
  readonly usage: Usage;
}

/** A provider that records each body sent through it and what came of it, and can send the same bytes again. */
export interface SmokeMeter {
  /** What an engine is given. */
  readonly provider: Provider;
  /** In the order of their answers. */
  readonly calls: readonly MeteredCall[];
  /** What the provider threw last; the engine tells it in words of its own. */
  readonly failure: Error | undefined;
  /** Sends a body past the engine. @throws ProviderError as the provider does. */
  send(outgoing: Outgoing): Promise<MeteredCall>;
}

/** Watches a provider. */
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
