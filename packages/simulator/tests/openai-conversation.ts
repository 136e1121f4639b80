// Requests for the tests of the OpenAI part: small builders of items, and models with rows of their own.

import type { Capabilities } from '@tidemark/model';
import { createSimulator } from '../src/index.ts';
import type {
  AnsweredOpenAICall,
  ChatCall,
  OpenAICall,
  OpenAIRefusal,
  Simulator,
  SimulatorOptions,
} from '../src/index.ts';
import { capabilitiesOf } from './conversation.ts';
import type { Wire } from './conversation.ts';

const ROWS: { readonly [model: string]: Partial<Capabilities> } = {
  'gpt-new': { ttls: ['30m', '12h'], appends: ['system', 'reasoning', 'tool-additions'] },
  'gpt-new-sister': { ttls: ['30m', '12h'] },
  'gpt-old': { ttls: [] },
  'gpt-5.5': { ttls: [] },
  'gpt-small': { ttls: [], inputLimit: 4097, outputLimit: 20 },
};

/** A simulator on a virtual clock that knows the test models of this part, and a Claude behind the router. */
export function simulateOpenAI(options: SimulatorOptions = {}): Simulator {
  return createSimulator({ clock: 'virtual', capabilities: openAICapabilitiesOf, ...options });
}

/** The row of a test model of this part. */
export function openAICapabilitiesOf(model: string): Capabilities | undefined {
  const base = capabilitiesOf('test-model');
  const row = ROWS[model];
  if (base === undefined) return undefined;
  if (model === 'claude-test') return { ...base, model };
  if (model === 'other/stranger') return { ...base, model, provider: 'stranger' };
  return row === undefined
    ? undefined
    : { ...base, floor: 1024, slots: 0, lookback: 0, markers: 'implicit', ...row, provider: 'openai', model };
}

/** A Responses body as JSON text: `store: false` and sealed reasoning, as a stateless client sends it. */
export function responsesBody(fields: Wire): string {
  const stateless = { store: false, include: ['reasoning.encrypted_content'] };
  return JSON.stringify({ model: 'gpt-new', ...stateless, input: [asked('hello')], ...fields });
}

/** A Chat body as JSON text. */
export function chatBody(fields: Wire): string {
  return JSON.stringify({ model: 'gpt-new', messages: [{ role: 'user', content: 'hello' }], ...fields });
}

/** Every block is worth 1,000 tokens. */
export function thousand(): number {
  return 1000;
}

/** Sends a Responses call that must be answered. Each block is worth 1,000 tokens unless the call says otherwise. */
export function respond(simulator: Simulator, fields: Wire, extra: Partial<OpenAICall> = {}): AnsweredOpenAICall {
  return answered(simulator.responses({ body: responsesBody(fields), sizes: thousand, ...extra }));
}

/** Sends a Chat call that must be answered. */
export function chat(simulator: Simulator, fields: Wire, extra: Partial<ChatCall> = {}): AnsweredOpenAICall {
  return answered(simulator.chat({ body: chatBody(fields), sizes: thousand, ...extra }));
}

function answered(outcome: AnsweredOpenAICall | OpenAIRefusal): AnsweredOpenAICall {
  if (outcome.outcome === 'refused') throw new Error(`${outcome.status} ${outcome.type}: ${outcome.message}`);
  return outcome;
}

/** Sends a Responses call that must be refused. */
export function refused(simulator: Simulator, fields: Wire, extra: Partial<OpenAICall> = {}): OpenAIRefusal {
  return mustRefuse(simulator.responses({ body: responsesBody(fields), ...extra }));
}

/** Sends a Chat call that must be refused. */
export function chatRefused(simulator: Simulator, fields: Wire, extra: Partial<ChatCall> = {}): OpenAIRefusal {
  return mustRefuse(simulator.chat({ body: chatBody(fields), ...extra }));
}

function mustRefuse(outcome: AnsweredOpenAICall | OpenAIRefusal): OpenAIRefusal {
  if (outcome.outcome !== 'refused') throw new Error('expected a refusal, and it was answered');
  return outcome;
}

/** What a call read, wrote and left plain. */
export function parts({ counts }: AnsweredOpenAICall): readonly [read: number, written: number, plain: number] {
  const written = counts.writtenShort + counts.writtenLong;
  return [counts.read, written, counts.input - counts.read - written];
}

/** The output items of an answer. */
export function outputOf({ body }: AnsweredOpenAICall): readonly Wire[] {
  return Array.isArray(body['output']) ? body['output'] : [];
}

/** A message of the user: one part for each word. */
export function asked(...words: readonly string[]): Wire {
  return { type: 'message', role: 'user', content: words.map((text) => ({ type: 'input_text', text })) };
}

/** A message of the developer. */
export function told(...words: readonly string[]): Wire {
  return { ...asked(...words), role: 'developer' };
}

/** A message of the model. */
export function said(words: string): Wire {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] };
}

/** A call of a tool. */
export function called(id: string, words = '{}'): Wire {
  return { type: 'function_call', call_id: id, name: 'look', arguments: words };
}

/** The output of a call. */
export function output(id: string, words = 'seen'): Wire {
  return { type: 'function_call_output', call_id: id, output: words };
}

/** A user's message whose last part is marked. */
export function marked(words: string, ttl?: '30m' | '12h'): Wire {
  const mark = { mode: 'explicit', ...(ttl === undefined ? {} : { ttl }) };
  return {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: words, prompt_cache_breakpoint: mark }],
  };
}

/** A tool of the Responses wire. */
export function functionTool(name: string, extra: Wire = {}): Wire {
  return {
    type: 'function',
    name,
    description: `does ${name}`,
    parameters: { type: 'object' },
    strict: false,
    ...extra,
  };
}
