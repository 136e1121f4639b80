// Tests for the levels of the cache (tools, system, messages) that a change invalidates or keeps. They follow the table
// of provider-facts §1.3 row by row.

import { describe, expect, it, test } from 'vitest';
import { totalInput } from '../src/index.ts';
import {
  assistant,
  call,
  mark,
  offers,
  picture,
  result,
  send,
  simulate,
  system,
  text,
  thinking,
  tool,
  user,
} from './conversation.ts';
import type { Wire } from './conversation.ts';

const TOOLS = [tool('look'), mark(tool('write'))];
const SYSTEM = [mark(text('be brief'))];
const MESSAGES = [user('go', mark(text('on')))];
/**
 * Request with two tools, one system text and two message blocks. Each block counts 2,000 tokens, so that the prefix of
 * every marker reaches the floor.
 */
const BEFORE: Wire = { tools: TOOLS, system: SYSTEM, messages: MESSAGES };
const KEPT = { nothing: 0, tools: 4000, system: 6000, messages: 10_000 } as const;

function readAfter(before: Wire, after: Wire, betas: readonly string[] = []): number {
  const simulator = simulate({ recordedSignatures: 'issued', serverTools: 'offered' });
  send(simulator, before, { at: 0, sizes: () => 2000, betas });
  return send(simulator, after, { at: 10, sizes: () => 2000, betas }).usage.cache_read_input_tokens;
}

describe('§1.3 a change keeps only the cached levels before it', () => {
  const web = { type: 'web_search_20250305', name: 'web_search' };
  const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } };
  const cited = { ...document, citations: { enabled: true } };
  test.each<[string, keyof typeof KEPT, Wire]>([
    ['nothing changed', 'messages', {}],
    ['a tool added in front', 'nothing', { tools: [tool('a'), ...TOOLS] }],
    ['a tool removed', 'nothing', { tools: [mark(tool('write'))] }],
    ['tools in another order', 'nothing', { tools: [tool('write'), mark(tool('look'))] }],
    ['a tool edited', 'nothing', { tools: [tool('look'), mark(tool('write', { description: 'other' }))] }],
    ['the model', 'nothing', { model: 'other-model' }],
    ['web search on', 'tools', { tools: [...TOOLS, web] }],
    ['citations on', 'tools', { messages: [user('go', mark(text('on')), cited)] }],
    ['speed', 'tools', { speed: 'fast' }],
    ['the system text', 'tools', { system: [mark(text('be long'))] }],
    ['tool_choice', 'system', { tool_choice: { type: 'none' } }],
    ['an explicit default tool_choice', 'messages', { tool_choice: { type: 'auto' } }],
    ['disable_parallel_tool_use', 'system', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    ['a first image, at the end', 'system', { messages: [user('go', mark(text('on')), picture())] }],
    [
      'a first image, inside a result',
      'system',
      { messages: [...MESSAGES, assistant(call('a')), user(result('a', [picture()]))] },
    ],
    ['thinking on', 'system', { thinking: { type: 'adaptive' } }],
    ['effort', 'system', { output_config: { effort: 'low' } }],
    ['an explicit default effort', 'messages', { output_config: { effort: 'high' } }],
    ['an earlier message', 'system', { messages: [user('gone', mark(text('on')))] }],
    [
      'limits and sampling',
      'messages',
      { max_tokens: 7, temperature: 0.5, metadata: { user_id: 'x' }, stop_sequences: ['.'] },
    ],
  ])('the change "%s" keeps the cached prefix up to this level: %s', (_, kept, change) => {
    expect(readAfter(BEFORE, { ...BEFORE, ...change })).toBe(KEPT[kept]);
  });

  it('a second image keeps the whole cache, because only the first image changes how the request is rendered', () => {
    const before = { ...BEFORE, messages: [user(picture(), mark(text('on')))] };
    const after = { ...BEFORE, messages: [user(picture(), mark(text('on')), picture())] };
    expect(readAfter(before, after)).toBe(10_000);
  });

  it('a change of thinking or effort loses the levels that the catalog row of the model names', () => {
    const model = { model: 'front-thinking' };
    expect(readAfter({ ...BEFORE, ...model }, { ...BEFORE, ...model, thinking: { type: 'adaptive' } })).toBe(
      KEPT.nothing,
    );
    expect(readAfter({ ...BEFORE, ...model }, { ...BEFORE, ...model, output_config: { effort: 'low' } })).toBe(
      KEPT.tools,
    );
  });

  it('an appended system message keeps the whole cache', () => {
    const after = { ...BEFORE, messages: [...MESSAGES, { role: 'system', content: 'mind the gap' }] };
    expect(readAfter(BEFORE, after)).toBe(KEPT.messages);
  });

  it('a deferred tool that is added or discovered keeps the whole cache', () => {
    const deferred = { ...BEFORE, tools: [...TOOLS, tool('rare', { defer_loading: true })] };
    expect(readAfter(BEFORE, deferred)).toBe(KEPT.messages);
    const found = assistant({
      type: 'tool_search_tool_result',
      tool_use_id: 's',
      content: [{ type: 'tool_reference', tool_name: 'rare' }],
    });
    expect(readAfter(deferred, { ...deferred, messages: [...MESSAGES, found, user('next')] })).toBe(KEPT.messages);
  });

  it('a tool added inside a system message keeps the whole cache', () => {
    const before = { ...BEFORE, model: 'appending' };
    const after = { ...before, messages: [...MESSAGES, system(offers(tool('new')))] };
    expect(readAfter(before, after, ['inline-tools-2026-09-15'])).toBe(KEPT.messages);
  });

  it('a tool defined in the messages loses the whole cache if the front has no tools', () => {
    const before = { ...BEFORE, model: 'appending', tools: [] };
    const after = { ...before, messages: [...MESSAGES, system(offers(tool('new')))] };
    expect(readAfter(before, after, ['inline-tools-2026-09-15'])).toBe(0);
  });

  it('an effort in a system message keeps the whole cache and adds no tokens', () => {
    const before = { ...BEFORE, model: 'appending' };
    const after = {
      ...before,
      messages: [...MESSAGES, { role: 'system', content: [], output_config: { effort: 'low' } }],
    };
    const betas = ['mid-conversation-output-config-2026-07-01'];
    expect(readAfter(before, after, betas)).toBe(KEPT.messages);
    const simulator = simulate();
    const sizes = (): undefined => undefined;
    const alone = send(simulator, before, { betas, sizes }).usage;
    const usage = send(simulator, after, { betas, sizes }).usage;
    expect(totalInput(usage)).toBe(totalInput(alone));
  });

  it('another key order in the input of a call loses the cached messages', () => {
    const turn = (input: Wire): Wire => ({
      ...BEFORE,
      messages: [user('go'), assistant(call('a', input)), user(mark(result('a')))],
    });
    expect(readAfter(turn({ a: 1, b: 2 }), turn({ a: 1, b: 2 }))).toBe(12_000);
    expect(readAfter(turn({ a: 1, b: 2 }), turn({ b: 2, a: 1 }))).toBe(KEPT.system);
  });
});

describe('§1.1 the cache key contains everything that the model sees', () => {
  const step = (...results: readonly Wire[]): Wire => ({
    messages: [user('go'), assistant(call('a')), user(...results, mark(text('on')))],
  });
  test.each<[string, Wire, Wire]>([
    [
      'the role of a text',
      { messages: [user('a', mark(text('b')))] },
      { messages: [user('a'), assistant(mark(text('b')))] },
    ],
    ['the error flag of a result', step(result('a')), step({ ...result('a'), is_error: true })],
    [
      'the boundary between two texts of a result',
      step(result('a', [text('ab'), text('c')])),
      step(result('a', [text('a'), text('bc')])),
    ],
    [
      'the id of a call',
      step(result('a')),
      { messages: [user('go'), assistant(call('b')), user(result('b'), mark(text('on')))] },
    ],
  ])('a change of this detail causes a cache miss: %s', (_, before, after) => {
    expect(readAfter(before, before)).toBeGreaterThan(0);
    expect(readAfter(before, after)).toBe(0);
  });
});

describe('§1.3 thinking in the history', () => {
  const thought = thinking('hm', 'sig-1');
  const step = [user('go'), assistant(thought, call('a')), user(mark(result('a')))];
  const next = [
    user('go'),
    assistant(thought, call('a')),
    user(mark(result('a'))),
    assistant('done'),
    user(mark(text('again'))),
  ];

  it('is kept through tool results on every model, and is read from the cache and counted', () => {
    const more = [...step, assistant(call('b')), user(mark(result('b')))];
    for (const model of ['test-model', 'old-model']) {
      expect(readAfter({ model, messages: step }, { model, messages: more })).toBe(8000);
    }
  });

  it('is kept at a new turn on a model that keeps it', () => {
    expect(readAfter({ messages: step }, { messages: next })).toBe(8000);
  });

  it('is stripped at a new turn on an older model: it is not counted, and the cache is lost from that block on', () => {
    const model = 'old-model';
    expect(readAfter({ model, messages: step }, { model, messages: next })).toBe(0);
    const { usage } = send(simulate({ recordedSignatures: 'issued' }), { model, messages: next });
    expect(usage.input_tokens + usage.cache_creation_input_tokens).toBe(5000);
  });

  it('of another model is dropped, and the cache is lost from that block on', () => {
    const simulator = simulate({ recordedSignatures: 'issued', serverTools: 'offered' });
    const turn = [user('go', mark(text('now'))), assistant(thought, 'well'), user(mark(text('on')))];
    send(simulator, { messages: turn }, { at: 0 });
    send(simulator, { model: 'other-model', messages: [user('go', mark(text('now')))] }, { at: 10 });
    const { usage, message } = send(
      simulator,
      { model: 'other-model', messages: turn },
      { at: 20, betas: ['thinking-binding-controls-2026-08-01'] },
    );
    expect([usage.cache_read_input_tokens, usage.cache_creation_input_tokens]).toEqual([2000, 2000]);
    expect(message['input_transformations']).toEqual([
      { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'model_binding_mismatch' },
    ]);
  });
});
