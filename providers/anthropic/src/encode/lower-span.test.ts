import type { CallPart, ImagePart, BoundReasoningPart, ResultPart } from '@tidemark/model';
import { PICTURE } from '@tidemark/model/contract';
import { describe, expect, it } from 'vitest';
import { LOWERING, MODEL, span, wire } from '../../tests/fixtures.ts';
import { lowerSpan } from './encoder.ts';

const text = (words: string) => ({ type: 'text', text: words }) as const;
const call = (raw: string): CallPart => ({ type: 'call', call: 'toolu_1', name: 'read', arguments: raw });
const result = (more: Partial<ResultPart>): ResultPart => ({
  type: 'result',
  call: 'toolu_1',
  error: false,
  content: [],
  ...more,
});
const thought: BoundReasoningPart = {
  type: 'reasoning',
  text: 'hm',
  opaque: '{"signature":"s",  "type":"thinking","thinking":"hm"}',
  provider: 'anthropic',
  model: MODEL,
};
const tiff: ImagePart = { ...PICTURE, mediaType: 'image/tiff', bytes: 77 };
const heads = (...args: Parameters<typeof span>): readonly string[] =>
  lowerSpan(span(...args), LOWERING).map(({ head, tail }) => head + tail);

describe('text and images', () => {
  it('a text becomes a block with its keys in a fixed order', () => {
    expect(heads('user', 0, [text('hi "you"')])).toEqual(['{"type":"text","text":"hi \\"you\\""}']);
  });

  it('an image is sent as base64 from the materials, and its bytes are counted', () => {
    const [block] = lowerSpan(span('user', 0, [{ ...PICTURE, width: 750, height: 10 }]), LOWERING);
    expect(block).toMatchObject({ holds: 'image', mediaBytes: 3, tokens: 10, markable: true });
    expect((block?.head ?? '') + block?.tail).toBe(
      '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQID"}}',
    );
  });

  it('an image that cannot be sent is replaced by a text with the reason (L6)', () => {
    const [stub] = heads('user', 0, [tiff]);
    expect(stub).toContain(
      'image left out: only PNG, JPEG, GIF and WebP are accepted. image/tiff, 77 bytes, artifact aaaa',
    );
    expect(heads('assistant', 0, [PICTURE])[0]).toContain('a message of role assistant takes none');
  });

  it('an image whose bytes were not loaded throws `provider/invalid`', () => {
    const lost = { ...PICTURE, artifact: 'b'.repeat(64) };
    expect(() => lowerSpan(span('user', 0, [lost]), LOWERING)).toThrow(
      expect.objectContaining({ code: 'provider/invalid' }),
    );
  });
});

describe('reasoning', () => {
  it('a signed block of the same model is passed on byte by byte and is never markable', () => {
    const [block] = lowerSpan(span('assistant', 0, [thought, text('so')]), LOWERING);
    expect(block).toMatchObject({ head: thought.opaque, tail: '', markable: false, holds: 'thinking' });
  });

  it('a redacted block is kept', () => {
    const opaque = '{"type":"redacted_thinking","data":"xyz"}';
    expect(heads('assistant', 0, [{ ...thought, opaque }, text('so')])[0]).toBe(opaque);
  });

  it.each([
    ['another model', { model: 'claude-opus-5' }],
    ['another provider', { provider: 'openai' }],
    ['no signature', { opaque: '{"type":"thinking","thinking":"hm","signature":""}' }],
    ['no item', { opaque: undefined }],
    ['an item that is not JSON', { opaque: 'hm' }],
  ])('a block of %s is omitted (claude-code#63229)', (_what, change) => {
    const { opaque, ...rest } = { ...thought, ...change };
    const part: BoundReasoningPart = opaque === undefined ? rest : { ...rest, opaque };
    expect(heads('assistant', 0, [part, text('so')])).toEqual(['{"type":"text","text":"so"}']);
  });

  it('a block is kept if its model is an alias of the current model', () => {
    const capabilities = { ...LOWERING.capabilities, model: 'claude-sonnet-5-5-20260928', aliases: [MODEL] };
    const part = { ...thought, model: 'claude-sonnet-5-5-20260928' };
    expect(lowerSpan(span('assistant', 0, [part, text('so')]), { ...LOWERING, capabilities })).toHaveLength(2);
  });

  it('reasoning with no part after it is omitted (vercel/ai#7099)', () => {
    expect(heads('assistant', 0, [thought, text('so'), thought, text(' ')])).toHaveLength(2);
    expect(heads('assistant', 0, [thought, text('\n\n')])).toEqual([]);
  });
});

describe('calls and results', () => {
  it('arguments are inserted as they were streamed', () => {
    const raw = '{"b":1.0,"a":{"10":1, "9":12345678901234567890}}';
    expect(heads('assistant', 0, [call(raw)])).toEqual([
      `{"type":"tool_use","id":"toolu_1","name":"read","input":${raw}}`,
    ]);
  });

  it.each([
    ['', '{}'],
    [' ', '{}'],
    ['{"path":"a', '{"raw":"{\\"path\\":\\"a"}'],
    ['[1]', '{"raw":"[1]"}'],
    ['null', '{"raw":"null"}'],
  ])('the arguments %j become a JSON object', (raw, input) => {
    expect(heads('assistant', 0, [call(raw)])[0]).toContain(`"input":${input}}`);
  });

  it('a call and its result get the same mapped id (anthropics/claude-code#63293)', () => {
    const id = 'call_1|fc_2';
    const fitting = /^[a-zA-Z0-9_-]+$/;
    const [asked] = wire(lowerSpan(span('assistant', 0, [{ ...call('{}'), call: id }]), LOWERING));
    const [resultBlock] = wire(lowerSpan(span('user', 1, [result({ call: id })]), LOWERING));
    expect(asked).toMatchObject({ id: expect.stringMatching(fitting) });
    expect(resultBlock).toHaveProperty('tool_use_id', Reflect.get(Object(asked), 'id'));
  });

  it('results come before text', () => {
    const kinds = lowerSpan(span('user', 1, [text('go on'), result({})]), LOWERING).map(({ holds }) => holds);
    expect(kinds).toEqual(['result', 'text']);
  });

  it('a result has an `is_error` field only if it is an error', () => {
    expect(heads('user', 1, [result({ content: [text('ok')] })])).toEqual([
      '{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"ok"}]}',
    ]);
    expect(heads('user', 1, [result({ error: true, content: [text('no')] })])).toEqual([
      '{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"no"}]}',
    ]);
  });

  it('an empty result gets a fixed text', () => {
    expect(heads('user', 1, [result({ content: [text(' ')] })])[0]).toContain('[{"type":"text","text":"(no output)"}]');
  });

  it('a result can contain images, and a failed result gets text in their place', () => {
    const [good, bad] = lowerSpan(
      span('user', 1, [result({ content: [PICTURE] }), result({ content: [PICTURE], error: true })]),
      LOWERING,
    );
    expect(good).toMatchObject({ mediaBytes: 3, head: expect.stringContaining('"type":"image"') });
    expect(bad).toMatchObject({ mediaBytes: 0, head: expect.stringContaining('a failed result takes text only') });
  });

  it('calls and results are marked as runs for the lookback', () => {
    const runs = [
      ...lowerSpan(span('assistant', 0, [text('a'), call('{}')]), LOWERING),
      ...lowerSpan(span('user', 1, [result({})]), LOWERING),
    ];
    expect(runs.map(({ run }) => run)).toEqual(['none', 'calls', 'results']);
  });
});

describe('native items', () => {
  const item = '{"type":"web_search_tool_result", "tool_use_id":"srv_1","content":[]}';
  it('an item of Anthropic is passed on verbatim, and an item of another provider becomes text', () => {
    const native = { type: 'native', provider: 'anthropic', item, text: 'found it' } as const;
    const [own] = lowerSpan(span('assistant', 0, [native]), LOWERING);
    expect(own).toMatchObject({ head: item, tail: '', markable: false });
    expect(heads('assistant', 0, [{ ...native, provider: 'openai' }])).toEqual(['{"type":"text","text":"found it"}']);
  });
});

describe('a system or developer message in the tail', () => {
  it('has the system role if the model accepts an appended system message', () => {
    const [block] = lowerSpan(span('developer', 0, [text('read only from now on')]), LOWERING);
    expect(block).toMatchObject({ role: 'system', markable: false });
  });

  it('is user text if the model accepts no appended system message', () => {
    const capabilities = { ...LOWERING.capabilities, appends: [] };
    const [block] = lowerSpan(span('system', 0, [text('read only')]), { ...LOWERING, capabilities });
    expect(block).toMatchObject({ role: 'user', markable: true });
  });
});
