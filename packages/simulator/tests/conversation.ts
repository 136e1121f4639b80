// Requests for the tests of this room: small builders of wire objects, and models with rows of their own.

import type { Capabilities } from '@tidemark/model';
import { createSimulator } from '../src/index.ts';
import type { AnsweredCall, MessageRefusal, Simulator, SimulatorCall, SimulatorOptions } from '../src/index.ts';

/** A wire object. */
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

/** The rows that the tests know, by model name. */
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

/** A simulator on a virtual clock that knows the test models. */
export function simulate(options: SimulatorOptions = {}): Simulator {
  return createSimulator({ clock: 'virtual', capabilities: capabilitiesOf, ...options });
}

/** The row of a test model. */
export function capabilitiesOf(model: string): Capabilities | undefined {
  const row = ROWS[model];
  return row === undefined ? undefined : { ...BASE, ...row, model };
}

/** A body as JSON text. */
export function bodyOf(fields: Wire): string {
  return JSON.stringify({ model: 'test-model', max_tokens: 100, messages: [user('hello')], ...fields });
}

/** Every block is worth 1,000 tokens. */
export function thousand(): number {
  return 1000;
}

/** Sends a call that must be answered. Each block is worth 1,000 tokens unless the call says otherwise. */
export function send(simulator: Simulator, fields: Wire, extra: Partial<SimulatorCall> = {}): AnsweredCall {
  const outcome = simulator.messages({ body: bodyOf(fields), sizes: thousand, ...extra });
  if (outcome.outcome === 'refused') throw new Error(`${outcome.status} ${outcome.type}: ${outcome.message}`);
  return outcome;
}

/** Sends a call that must be refused. */
export function refusal(simulator: Simulator, fields: Wire, extra: Partial<SimulatorCall> = {}): MessageRefusal {
  const outcome = simulator.messages({ body: bodyOf(fields), sizes: thousand, ...extra });
  if (outcome.outcome !== 'refused') throw new Error('expected a refusal, and it was answered');
  return outcome;
}

/** What a call read, wrote and left fresh. */
export function counts({ usage }: AnsweredCall): readonly [read: number, written: number, fresh: number] {
  return [usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.input_tokens];
}

/** Puts a marker on a block. */
export function mark(block: Wire, ttl?: '5m' | '1h'): Wire {
  return { ...block, cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) } };
}

/** A text block. */
export function text(words: string): Wire {
  return { type: 'text', text: words };
}

/** So many text blocks, all different. */
export function texts(count: number, word = 'text'): readonly Wire[] {
  return Array.from({ length: count }, (_, i) => text(`${word} ${i}`));
}

/** A user message: words or blocks. */
export function user(...content: readonly (string | Wire)[]): Wire {
  return { role: 'user', content: content.map((part) => (typeof part === 'string' ? text(part) : part)) };
}

/** An assistant message: words or blocks. */
export function assistant(...content: readonly (string | Wire)[]): Wire {
  return { ...user(...content), role: 'assistant' };
}

/** A system message inside the history. */
export function system(...content: readonly Wire[]): Wire {
  return { role: 'system', content };
}

/** A block that offers a tool: by its definition, or by its name. */
export function offers(which: Wire | string): Wire {
  return {
    type: 'tool_addition',
    tool:
      typeof which === 'string'
        ? { type: 'tool_reference', name: which }
        : { type: 'tool_definition', definition: which },
  };
}

/** A block that withdraws a tool. */
export function withdraws(name: string): Wire {
  return { type: 'tool_removal', tool: { type: 'tool_reference', name } };
}

/** A tool. */
export function tool(name: string, extra: Wire = {}): Wire {
  return { name, description: `does ${name}`, input_schema: { type: 'object', properties: {} }, ...extra };
}

/** A call of a tool. */
export function call(id: string, input: Wire = {}): Wire {
  return { type: 'tool_use', id, name: 'look', input };
}

/** The result of a call. */
export function result(id: string, content: unknown = 'seen'): Wire {
  return { type: 'tool_result', tool_use_id: id, content };
}

/** A thinking block. */
export function thinking(words: string, signature: string): Wire {
  return { type: 'thinking', thinking: words, signature };
}

/** A picture of one pixel. */
export function picture(): Wire {
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}
