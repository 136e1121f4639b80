// In-memory provider. Sends nothing and answers from a script.

import { defined } from '@tidemark/core';
import type { Answer, AnswerPart, Outgoing, Provider, StopReason, StreamPart, Usage } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { PROVIDER, scriptedEncoder } from './encoder.ts';

/** One answer of a script: the parts to stream, and the values that the end of the stream reports. */
export interface ScriptedAnswer {
  readonly parts: readonly AnswerPart[];
  /** Reason for the end of the answer. The default is `calls` if the answer contains a call, else `end`. */
  readonly stop?: StopReason;
  readonly truncated?: Answer['truncated'];
  /** Token usage of the answer. Unknown by default. */
  readonly usage?: Usage;
  readonly model?: string;
  /**
   * Error that is thrown instead of the stream part with the index `after`. With `after: 0`, the error comes before the
   * first stream part.
   */
  readonly fault?: { readonly after: number; readonly error: ProviderError };
}

/** Values of a request that a script can use to choose its answer. */
export interface ScriptedRequest {
  /** The request body as lines of JSON, see `scriptedEncoder`. */
  readonly body: Uint8Array;
  /** Index of the request, counted from 0 over the life of this provider. */
  readonly index: number;
}

/** A fixed list of answers, or a function that returns the answer to each request. */
export type Script =
  | { readonly answers: readonly ScriptedAnswer[] }
  | { readonly respond: (request: ScriptedRequest) => ScriptedAnswer };

/** The scripted provider, with all requests that it received. */
export interface ScriptedProvider extends Provider {
  readonly sent: readonly Outgoing[];
}

/** Creates a provider that answers at once. A request after the last answer of the list throws `provider/invalid`. */
export function createScriptedProvider(script: Script): ScriptedProvider {
  const sent: Outgoing[] = [];
  return {
    name: PROVIDER,
    encoder: scriptedEncoder,
    scripted: true,
    sent,
    async *send(outgoing) {
      const index = sent.push(outgoing) - 1;
      const answer = answerOf(script, { body: outgoing.body, index });
      const stream = streamOf(answer, `scripted_${index}`);
      for (const [count, part] of stream.entries()) {
        if (outgoing.signal?.aborted === true) throw abortError();
        if (answer.fault?.after === count) throw answer.fault.error;
        yield part;
      }
    },
  };
}

function answerOf(script: Script, request: ScriptedRequest): ScriptedAnswer {
  if ('respond' in script) return script.respond(request);
  const answer = script.answers[request.index];
  if (answer !== undefined) return answer;
  const message = `the script has ${script.answers.length} answers, but this is request ${request.index + 1}: add an answer to the script`;
  throw new ProviderError('refused', 'provider/invalid', message, { provider: PROVIDER });
}

function streamOf(script: ScriptedAnswer, response: string): readonly StreamPart[] {
  const { parts, usage = {}, truncated = 'no', model } = script;
  const stop = script.stop ?? (parts.some((part) => part.type === 'call') ? 'calls' : 'end');
  const named = defined({ response, model });
  return [
    { type: 'began', ...named, usage: {} },
    ...parts.flatMap(growth),
    { type: 'finished', answer: { parts, stop, truncated, usage, ...named } },
  ];
}

function growth(part: AnswerPart, index: number): readonly StreamPart[] {
  const whole: StreamPart = { type: 'part', index, part };
  switch (part.type) {
    case 'text':
      return [{ type: 'text.delta', index, text: part.text }, whole];
    case 'reasoning':
      return [{ type: 'reasoning.delta', index, text: part.text }, whole];
    case 'call':
      return [
        { type: 'call.began', index, call: part.call, name: part.name },
        { type: 'call.delta', index, arguments: part.arguments },
        whole,
      ];
    case 'native':
      return [whole];
  }
}

function abortError(): ProviderError {
  return new ProviderError('stop', 'provider/aborted', 'the call was aborted by its caller', { provider: PROVIDER });
}
