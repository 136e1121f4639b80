// Functions that build wire objects for the simulator tests, and test models with their own catalog rows.

import type { Capabilities } from '@tidemark/model';
import { createSimulator } from '../src/index.ts';
import type { AnsweredCall, MessageRefusal, Simulator, SimulatorCall, SimulatorOptions } from '../src/index.ts';

/** JSON object as it is sent in a request. */
export type Wire = Readonly<Record<string, unknown>>;

const BASE: Capabilities = {
  provider: 'anthropic',
  model: 'test-model',
  aliases: [],
  inputLimit: 200_000,
  window: { tokens: 200_000, sharedWithOutput: 'stops' },
  outputLimit: 64_000,
  floor: 1024,
  markers: 'explicit',
  slots: 4,
  lookback: 20,
  runsCollapse: true,
  ttls: ['5m', '1h'],
  renderParameters: { model: 'tools', thinking: 'messages', effort: 'messages' },
  thinkingStripped: 'never',
  prefixCheck: false,
  appends: ['system'],
  prefill: true,
  forcedToolChoice: true,
  prewarm: true,
  promotes: 'unverified',
  prices: [],
  source: 'these tests',
  asOf: '2026-11-21',
};

/** Catalog rows of the test models, by model name. Each row lists only the values that differ from `BASE`. */
export const ROWS: { readonly [model: string]: Partial<Capabilities> } = {
  'test-model': {},
  'other-model': {},
  'old-model': {
    thinkingStripped: 'at-new-turn',
    appends: [],
    window: { tokens: 200_000, sharedWithOutput: 'refused' },
  },
  'bound-model': { prefixCheck: true, prefill: false, forcedToolChoice: false },
  'bound-sister': { prefixCheck: true, prefill: false, forcedToolChoice: false },
  'no-prewarm': { prewarm: false },
  'front-thinking': { renderParameters: { thinking: 'tools', effort: 'system' } },
  'no-system': { appends: [] },
  appending: { appends: ['system', 'reasoning', 'tools'], prefixCheck: true, prefill: false },
};

/** Creates a simulator on a virtual clock that knows the test models. */
export function simulate(options: SimulatorOptions = {}): Simulator {
  return createSimulator({ clock: 'virtual', capabilities: capabilitiesOf, ...options });
}

/** Returns the catalog row of a test model, or `undefined` for an unknown name. */
export function capabilitiesOf(model: string): Capabilities | undefined {
  const row = ROWS[model];
  return row === undefined ? undefined : { ...BASE, ...row, model };
}

/** Returns a request body as JSON text. By default, the body asks `test-model` with the user message "hello". */
export function bodyOf(fields: Wire): string {
  return JSON.stringify({ model: 'test-model', max_tokens: 100, messages: [user('hello')], ...fields });
}

/** Returns 1,000 as the recorded size of every block. */
export function thousand(): number {
  return 1000;
}

/**
 * Sends a Messages call and returns its result. Throws if the call is refused. By default each block counts 1,000
 * tokens.
 */
export function send(simulator: Simulator, fields: Wire, extra: Partial<SimulatorCall> = {}): AnsweredCall {
  const outcome = simulator.messages({ body: bodyOf(fields), sizes: thousand, ...extra });
  if (outcome.outcome === 'refused') throw new Error(`${outcome.status} ${outcome.type}: ${outcome.message}`);
  return outcome;
}

/** Sends a Messages call and returns its refusal. Throws if the call is answered. */
export function refusal(simulator: Simulator, fields: Wire, extra: Partial<SimulatorCall> = {}): MessageRefusal {
  const outcome = simulator.messages({ body: bodyOf(fields), sizes: thousand, ...extra });
  if (outcome.outcome !== 'refused') throw new Error('expected a refusal, and it was answered');
  return outcome;
}

/** Returns the numbers of tokens that a call read from the cache, wrote to the cache, and sent uncached. */
export function counts({ usage }: AnsweredCall): readonly [read: number, written: number, fresh: number] {
  return [usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.input_tokens];
}

/** Returns a copy of a block with a marker. Without `ttl`, the marker has no lifetime, so the default of 5m applies. */
export function mark(block: Wire, ttl?: '5m' | '1h'): Wire {
  return { ...block, cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) } };
}

export function text(words: string): Wire {
  return { type: 'text', text: words };
}

/** Returns `count` text blocks with different texts. */
export function texts(count: number, word = 'text'): readonly Wire[] {
  return Array.from({ length: count }, (_, i) => text(`${word} ${i}`));
}

/** Returns a user message. A string becomes a text block. */
export function user(...content: readonly (string | Wire)[]): Wire {
  return { role: 'user', content: content.map((part) => (typeof part === 'string' ? text(part) : part)) };
}

/** Returns an assistant message. A string becomes a text block. */
export function assistant(...content: readonly (string | Wire)[]): Wire {
  return { ...user(...content), role: 'assistant' };
}

/** Returns a system message inside the history. */
export function system(...content: readonly Wire[]): Wire {
  return { role: 'system', content };
}

/** Returns a block that adds a tool. A string is the name of a declared tool, and an object is a new definition. */
export function offers(which: Wire | string): Wire {
  return {
    type: 'tool_addition',
    tool:
      typeof which === 'string'
        ? { type: 'tool_reference', name: which }
        : { type: 'tool_definition', definition: which },
  };
}

/** Returns a block that removes a tool. */
export function withdraws(name: string): Wire {
  return { type: 'tool_removal', tool: { type: 'tool_reference', name } };
}

export function tool(name: string, extra: Wire = {}): Wire {
  return { name, description: `does ${name}`, input_schema: { type: 'object', properties: {} }, ...extra };
}

/** Returns a call of the tool `look`. */
export function call(id: string, input: Wire = {}): Wire {
  return { type: 'tool_use', id, name: 'look', input };
}

export function result(id: string, content: unknown = 'seen'): Wire {
  return { type: 'tool_result', tool_use_id: id, content };
}

export function thinking(words: string, signature: string): Wire {
  return { type: 'thinking', thinking: words, signature };
}

/** Returns an image of one pixel. */
export function picture(): Wire {
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}
