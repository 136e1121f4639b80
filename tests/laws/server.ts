// Servers of the law tests: the simulator, which runs in the same process and bills each block with the number of
// tokens that the engine estimated, and the scripted provider, which reports no usage. The caller chooses each answer.

import type { Block, Answer, Capabilities, Encoder } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { anthropicEncoder, decodeMessage } from '@tidemark/provider-anthropic';
import { decodeResponse, openaiResponsesEncoder } from '@tidemark/provider-openai';
import { createScriptedProvider, scriptedEncoder } from '@tidemark/provider-scripted';
import type {
  AnsweredCall,
  AnsweredOpenAICall,
  Fault,
  LedgerCall,
  ScriptedBlock,
  WireStopReason,
} from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { digestOf } from './shown.ts';

/** Providers that stories are played against. */
export type ProviderName = 'simulator' | 'scripted' | 'openai';

/** Answer that the server must give. The arguments of tool calls are raw text, as a model streams them. */
export interface Saying {
  readonly blocks: readonly ScriptedBlock[];
  readonly stop: WireStopReason;
}

/** A request as it arrives. */
export interface Arriving {
  readonly body: Uint8Array;
  readonly betas: readonly string[];
  /** Time of arrival in milliseconds. It is never earlier than the time of the previous request. */
  readonly at: number;
  /** Returns the block of this index in the provider's cache order. */
  readonly block: (index: number) => Block | undefined;
  readonly saying: Saying;
  readonly fault?: Fault | undefined;
}

/** Response to a request. `billed` is undefined if the provider reports no usage in Anthropic's form. */
export type Served =
  | {
      readonly status: 200;
      readonly answer: Answer;
      readonly billed: AnsweredCall['usage'] | undefined;
      /** Token counts of a call over the OpenAI wire. */
      readonly counts?: AnsweredOpenAICall['counts'];
    }
  | { readonly status: number; readonly message: string; readonly retryAfter?: string | undefined };

/** Returns true if the request was answered. */
export function isAnswered(served: Served): served is Extract<Served, { readonly status: 200 }> {
  return 'answer' in served;
}

/** A server that outlives the processes of a session. */
export interface Server {
  readonly provider: ProviderName;
  readonly encoder: Encoder;
  /** Duration of a call in milliseconds. */
  readonly callMs: number;
  send(request: Arriving): Promise<Served>;
  /** Returns the calls so far. The scripted provider knows their digests only. */
  calls(): readonly Pick<LedgerCall, 'digest' | 'message' | 'usage'>[];
}

/**
 * Creates a server that has received no request. With `recorded`, the simulator accepts signatures that it did not
 * issue, because a replay contains such signatures.
 */
export function newServer(provider: ProviderName, { recorded = false }: { readonly recorded?: boolean } = {}): Server {
  switch (provider) {
    case 'simulator':
      return simulated(recorded);
    case 'openai':
      return simulatedOpenAI();
    case 'scripted':
      return scripted();
  }
}

/** Returns the encoder with this revision, or `undefined` for an unknown revision. */
export function encoders(revision: string): Encoder | undefined {
  return [anthropicEncoder, openaiResponsesEncoder, scriptedEncoder].find((encoder) => encoder.revision === revision);
}

function simulated(recorded: boolean): Server {
  // Runs of one story are compared record by record (L9), so the ids of its answers must be reproducible.
  const simulator = createSimulator({
    clock: 'virtual',
    idSeed: 'laws',
    recordedSignatures: recorded ? 'issued' : 'refused',
  });
  return {
    provider: 'simulator',
    encoder: anthropicEncoder,
    callMs: 1_000,
    calls: () => simulator.calls,
    async send({ body, betas, at, block, saying, fault }) {
      const outcome = simulator.messages({
        body,
        betas,
        at,
        sizes: (index) => block(index)?.tokens,
        answer: { blocks: saying.blocks, stop: saying.stop, outputTokens: 10 },
        ...(fault === undefined ? {} : { fault }),
      });
      if (outcome.outcome === 'refused')
        return { status: outcome.status, message: outcome.message, retryAfter: outcome.headers['retry-after'] };
      const answer = asStreamed(decodeMessage(JSON.stringify(outcome.message)), saying);
      return { status: 200, answer, billed: outcome.usage };
    },
  };
}

function simulatedOpenAI(): Server {
  const capabilities = (model: string): Capabilities | undefined => findModel(defaultCatalog(), model, 'openai');
  const simulator = createSimulator({ clock: 'virtual', idSeed: 'laws', capabilities });
  return {
    provider: 'openai',
    encoder: openaiResponsesEncoder,
    // With calls of this duration, no cache key gets more calls per minute than one machine of the provider serves.
    callMs: 5_000,
    calls: () => simulator.calls,
    async send({ body, at, block, saying, fault }) {
      const outcome = simulator.responses({
        body,
        at,
        sizes: (index) => block(index)?.tokens,
        answer: { blocks: saying.blocks, stop: saying.stop, outputTokens: 10 },
        ...(fault === undefined ? {} : { fault }),
      });
      if (outcome.outcome === 'refused') return { status: outcome.status, message: outcome.message };
      const answer = decodeResponse(JSON.stringify(outcome.body));
      return { status: 200, answer, billed: undefined, counts: outcome.counts };
    },
  };
}

/**
 * Returns the answer with the raw arguments of its tool calls. A finished message contains only parsed arguments, but
 * an agent keeps the raw text of the stream.
 */
function asStreamed(answer: Answer, { blocks }: Saying): Answer {
  const raw = blocks.flatMap((block) =>
    block.type === 'tool_use' && typeof block.arguments === 'string' ? [block.arguments] : [],
  );
  let next = 0;
  const parts = answer.parts.map((part) =>
    part.type === 'call' ? { ...part, arguments: raw[next++] ?? part.arguments } : part,
  );
  return { ...answer, parts };
}

function scripted(): Server {
  const calls: { readonly digest: string }[] = [];
  return {
    provider: 'scripted',
    encoder: scriptedEncoder,
    callMs: 1_000,
    calls: () => calls,
    async send({ body, betas, saying, fault }) {
      calls.push({ digest: digestOf(body) });
      if (fault !== undefined) return { status: 529, message: 'Overloaded' };
      const provider = createScriptedProvider({ answers: [{ parts: saying.blocks.map(scriptedPart) }] });
      for await (const part of provider.send({ body, betas })) {
        if (part.type === 'finished') return { status: 200, answer: part.answer, billed: undefined };
      }
      throw new Error('the scripted provider did not finish');
    },
  };
}

function scriptedPart(block: ScriptedBlock, index: number): Answer['parts'][number] {
  switch (block.type) {
    case 'text':
      return block;
    case 'thinking':
      return { type: 'reasoning', opaque: JSON.stringify(block), text: block.thinking };
    case 'redacted_thinking':
      return { type: 'reasoning', opaque: JSON.stringify(block), text: '' };
    case 'tool_use': {
      const { arguments: raw } = block;
      const call = block.id ?? `call_${index}`;
      return { type: 'call', call, name: block.name, arguments: typeof raw === 'string' ? raw : JSON.stringify(raw) };
    }
  }
}
