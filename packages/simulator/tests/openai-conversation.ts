// Functions that build items for the tests of the OpenAI part, and test models with their own catalog rows.

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

/**
 * Creates a simulator on a virtual clock. The simulator knows the test models of the OpenAI part, and a Claude model
 * for the router.
 */
export function simulateOpenAI(options: SimulatorOptions = {}): Simulator {
  return createSimulator({ clock: 'virtual', capabilities: openAICapabilitiesOf, ...options });
}

/** Returns the catalog row of a test model of the OpenAI part, or `undefined` for an unknown name. */
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

/**
 * Returns a Responses body as JSON text, as a stateless client sends it: with `store: false` and a request for
 * encrypted reasoning.
 */
export function responsesBody(fields: Wire): string {
  const stateless = { store: false, include: ['reasoning.encrypted_content'] };
  return JSON.stringify({ model: 'gpt-new', ...stateless, input: [userMessage('hello')], ...fields });
}

export function chatBody(fields: Wire): string {
  return JSON.stringify({ model: 'gpt-new', messages: [{ role: 'user', content: 'hello' }], ...fields });
}

/** Returns 1,000 as the recorded size of every block. */
export function thousand(): number {
  return 1000;
}

/**
 * Sends a Responses call and returns its result. Throws if the call is refused. By default each block counts 1,000
 * tokens.
 */
export function respond(simulator: Simulator, fields: Wire, extra: Partial<OpenAICall> = {}): AnsweredOpenAICall {
  return answered(simulator.responses({ body: responsesBody(fields), sizes: thousand, ...extra }));
}

/**
 * Sends a Chat call and returns its result. Throws if the call is refused. By default each block counts 1,000 tokens.
 */
export function chat(simulator: Simulator, fields: Wire, extra: Partial<ChatCall> = {}): AnsweredOpenAICall {
  return answered(simulator.chat({ body: chatBody(fields), sizes: thousand, ...extra }));
}

function answered(outcome: AnsweredOpenAICall | OpenAIRefusal): AnsweredOpenAICall {
  if (outcome.outcome === 'refused') throw new Error(`${outcome.status} ${outcome.type}: ${outcome.message}`);
  return outcome;
}

/** Sends a Responses call and returns its refusal. Throws if the call is answered. */
export function refused(simulator: Simulator, fields: Wire, extra: Partial<OpenAICall> = {}): OpenAIRefusal {
  return mustRefuse(simulator.responses({ body: responsesBody(fields), ...extra }));
}

/** Sends a Chat call and returns its refusal. Throws if the call is answered. */
export function chatRefused(simulator: Simulator, fields: Wire, extra: Partial<ChatCall> = {}): OpenAIRefusal {
  return mustRefuse(simulator.chat({ body: chatBody(fields), ...extra }));
}

function mustRefuse(outcome: AnsweredOpenAICall | OpenAIRefusal): OpenAIRefusal {
  if (outcome.outcome !== 'refused') throw new Error('expected a refusal, and it was answered');
  return outcome;
}

/** Returns the numbers of tokens that a call read from the cache, wrote to the cache, and sent uncached. */
export function parts({ counts }: AnsweredOpenAICall): readonly [read: number, written: number, plain: number] {
  const written = counts.writtenShort + counts.writtenLong;
  return [counts.read, written, counts.input - counts.read - written];
}

export function outputOf({ body }: AnsweredOpenAICall): readonly Wire[] {
  return Array.isArray(body['output']) ? body['output'] : [];
}

/** Returns a user message with one text part for each string. */
export function userMessage(...words: readonly string[]): Wire {
  return { type: 'message', role: 'user', content: words.map((text) => ({ type: 'input_text', text })) };
}

/** Returns a developer message with one text part for each string. */
export function developerMessage(...words: readonly string[]): Wire {
  return { ...userMessage(...words), role: 'developer' };
}

/** Returns an assistant message. */
export function assistantMessage(words: string): Wire {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] };
}

/** Returns a call of the tool `look`. */
export function called(id: string, words = '{}'): Wire {
  return { type: 'function_call', call_id: id, name: 'look', arguments: words };
}

export function output(id: string, words = 'seen'): Wire {
  return { type: 'function_call_output', call_id: id, output: words };
}

/** Returns a user message with one text part that has a mark. */
export function marked(words: string, ttl?: '30m' | '12h'): Wire {
  const mark = { mode: 'explicit', ...(ttl === undefined ? {} : { ttl }) };
  return {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: words, prompt_cache_breakpoint: mark }],
  };
}

/** Returns a function tool in the form of the Responses API. */
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
