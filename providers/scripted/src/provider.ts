// The in-memory twin of a provider: it sends nothing, and answers from a script.

import { defined } from '@tidemark/core';
import type { Answer, AnswerPart, Outgoing, Provider, StopReason, StreamPart, Usage } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { PROVIDER, scriptedEncoder } from './encoder.ts';

/** One answer of a script. */
export interface ScriptedAnswer {
  readonly parts: readonly AnswerPart[];
  /** By default `calls` when there is a call, else `end`. */
  readonly stop?: StopReason;
  readonly truncated?: Answer['truncated'];
  /** Unknown by default. */
  readonly usage?: Usage;
  readonly model?: string;
  /** Thrown instead of the stream part of this number: 0 before anything is said. */
  readonly fault?: { readonly after: number; readonly error: ProviderError };
}

/** What a script sees of a request. */
export interface ScriptedRequest {
  /** Lines of JSON, see `scriptedEncoder`. */
  readonly body: Uint8Array;
  /** From 0, over the life of this provider. */
  readonly index: number;
}

/** A fixed list of answers, or a function of what was asked. */
export type Script =
  | { readonly answers: readonly ScriptedAnswer[] }
  | { readonly respond: (request: ScriptedRequest) => ScriptedAnswer };

/** The twin, and what it was sent. */
export interface ScriptedProvider extends Provider {
  readonly sent: readonly Outgoing[];
}

/** A provider that answers at once. A list that has run out is refused as `provider/invalid`. */
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
  const message = `the script has ${script.answers.length} answers, and this is request ${request.index + 1}: add an answer to the script`;
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
