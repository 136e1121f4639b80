// Who answers in a law's test: the simulator, in process, with the sizes of the request itself; or the scripted provider,
// which tells no usage. Both are told what to say.

import type { Prepared } from '@tidemark/agent';
import { itemAt } from '@tidemark/context';
import type { Answer, Capabilities, Encoder } from '@tidemark/model';
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
import type { ProviderName } from './settings.ts';

/** What the server is to say. Arguments are raw text, as they are streamed. */
export interface Saying {
  readonly blocks: readonly ScriptedBlock[];
  readonly stop: WireStopReason;
}

/** What came of a request. */
export type Served =
  | {
      readonly status: 200;
      readonly answer: Answer;
      readonly billed: AnsweredCall['usage'] | undefined;
      /** The account of the OpenAI part. */
      readonly counts?: AnsweredOpenAICall['counts'];
    }
  | { readonly status: number; readonly message: string };

/** Whether it was answered. */
export function isAnswered(served: Served): served is Extract<Served, { readonly status: 200 }> {
  return 'answer' in served;
}

/** A provider of a law's test. */
export interface Server {
  readonly provider: ProviderName;
  readonly encoder: Encoder;
  /** How long a call takes. */
  readonly callMs: number;
  /** Sends a request at a time (milliseconds, never going back). */
  send(prepared: Prepared, at: number, saying: Saying, fault?: Fault): Promise<Served>;
  /** Digest of each body that arrived, in order; the simulator's ledger. */
  readonly arrived: () => readonly string[];
}

/** A server that has seen nothing. `recorded`: it takes signatures that it did not issue, as a replay needs. */
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

/** Any encoder of this test, by its revision. */
export function encoders(revision: string): Encoder | undefined {
  return [anthropicEncoder, openaiResponsesEncoder, scriptedEncoder].find((encoder) => encoder.revision === revision);
}

function simulated(recorded: boolean): Server {
  const simulator = createSimulator({ clock: 'virtual', recordedSignatures: recorded ? 'issued' : 'refused' });
  return {
    provider: 'simulator',
    encoder: anthropicEncoder,
    callMs: 1_000,
    arrived: () => simulator.calls.map((call: LedgerCall) => call.digest),
    send: async ({ body, betas, sequence }, at, saying, fault) => {
      const said = simulator.messages({
        body,
        betas,
        at,
        sizes: (index) => itemAt(sequence.blocks, index)?.tokens,
        answer: { blocks: saying.blocks, stop: saying.stop, outputTokens: 10 },
        ...(fault === undefined ? {} : { fault }),
      });
      if (said.outcome === 'refused') return { status: said.status, message: said.message };
      return {
        status: 200,
        answer: asStreamed(decodeMessage(JSON.stringify(said.message)), saying),
        billed: said.usage,
      };
    },
  };
}

/** Calls are slow enough that no key is called more often than one machine takes. */
function simulatedOpenAI(): Server {
  const capabilities = (model: string): Capabilities | undefined => findModel(defaultCatalog(), model, 'openai');
  const simulator = createSimulator({ clock: 'virtual', capabilities });
  return {
    provider: 'openai',
    encoder: openaiResponsesEncoder,
    callMs: 5_000,
    arrived: () => simulator.calls.map((call: LedgerCall) => call.digest),
    send: async ({ body, sequence }, at, saying, fault) => {
      const said = simulator.responses({
        body,
        at,
        sizes: (index) => itemAt(sequence.blocks, index)?.tokens,
        answer: { blocks: saying.blocks, stop: saying.stop, outputTokens: 10 },
        ...(fault === undefined ? {} : { fault }),
      });
      if (said.outcome === 'refused') return { status: said.status, message: said.message };
      const answer = decodeResponse(JSON.stringify(said.body));
      return { status: 200, answer, billed: undefined, counts: said.counts };
    },
  };
}

/** A finished message shows parsed arguments; a stream brings their raw text, which is what an agent keeps. */
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
  const arrived: string[] = [];
  return {
    provider: 'scripted',
    encoder: scriptedEncoder,
    callMs: 1_000,
    arrived: () => arrived,
    send: async (prepared, _at, saying, fault) => {
      arrived.push(prepared.record.data.digest);
      if (fault !== undefined) return { status: 529, message: 'Overloaded' };
      const provider = createScriptedProvider({ answers: [{ parts: saying.blocks.map(scriptedPart) }] });
      for await (const part of provider.send({ body: prepared.body, betas: prepared.betas })) {
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
      const { arguments: told } = block;
      return {
        type: 'call',
        call: block.id ?? `call_${index}`,
        name: block.name,
        arguments: typeof told === 'string' ? told : JSON.stringify(told),
      };
    }
  }
}
