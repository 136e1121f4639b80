import type { ImagePart, Part, BoundReasoningPart, ResultPart, ToolsChange } from '@tidemark/model';
import { PICTURE, TOOL } from '@tidemark/model/contract';
import { describe, expect, it } from 'vitest';
import { LOWERING, MODEL, textPart, span } from '../tests/fixtures.ts';
import { openaiChatEncoder } from './chat/encoder.ts';
import { lowerSpan } from './responses/encoder.ts';

const { lowerSpan: lowerChat } = openaiChatEncoder;

const heads = (...args: Parameters<typeof span>): readonly string[] =>
  lowerSpan(span(...args), LOWERING).map(({ head, tail }) => head + tail);
const chatHeads = (...args: Parameters<typeof span>): readonly string[] =>
  lowerChat(span(...args), LOWERING).map(({ head, tail }) => head + tail);

const thought: BoundReasoningPart = {
  type: 'reasoning',
  text: 'hm',
  opaque: '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}',
  provider: 'openai',
  model: MODEL,
};
const result = (more: Partial<ResultPart>): ResultPart => ({
  type: 'result',
  call: 'c1',
  error: false,
  content: [],
  ...more,
});

describe('reasoning', () => {
  it('is sent back byte by byte, in the order of arrival', () => {
    expect(
      heads('assistant', 0, [thought, textPart('so'), { ...thought, opaque: `${thought.opaque} ` }, textPart('then')]),
    ).toEqual([
      thought.opaque,
      '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"so"}]}',
      `${thought.opaque} `,
      '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"then"}]}',
    ]);
  });

  it.each([
    ['another model', { model: 'gpt-5.4' }],
    ['another provider', { provider: 'anthropic' }],
    ['another kind', { opaque: '{"type":"thinking","thinking":"hm","signature":"s"}' }],
    ['no encrypted content', { opaque: '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":null}' }],
    ['empty encrypted content', { opaque: '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":""}' }],
    ['an item that is not JSON', { opaque: 'hm' }],
    ['an answer whose next part differs', { torn: true }],
  ])('of %s is omitted', (_what, change) => {
    expect(heads('assistant', 0, [{ ...thought, ...change }, textPart('so')])).toEqual([
      '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"so"}]}',
    ]);
  });

  it('with no part after it is omitted (vercel/ai#7099)', () => {
    expect(heads('assistant', 0, [thought, textPart(' ')])).toEqual([]);
    expect(heads('assistant', 0, [textPart('so'), thought])).toHaveLength(1);
  });

  it('is kept if its model is an alias of the current model', () => {
    const capabilities = { ...LOWERING.capabilities, aliases: [`${MODEL}-2026-06-01`] };
    const part = { ...thought, model: `${MODEL}-2026-06-01` };
    expect(lowerSpan(span('assistant', 0, [part, textPart('so')]), { ...LOWERING, capabilities })).toHaveLength(2);
  });

  it('is never sent in Chat Completions', () => {
    expect(chatHeads('assistant', 0, [thought, textPart('so')])).toEqual(['so']);
  });
});

describe('calls and results', () => {
  const call = (raw: string): Part => ({ type: 'call', call: 'c1', name: 'read', arguments: raw });

  it('keep arguments as the text that was streamed', () => {
    expect(heads('assistant', 0, [call('{"b":1.0, "cut')])).toEqual([
      '{"type":"function_call","call_id":"c1","name":"read","arguments":"{\\"b\\":1.0, \\"cut"}',
    ]);
  });

  it.each([
    ['{"b":1.0}', '"{\\"b\\":1.0}"'],
    [' ', '"{}"'],
    ['{"cut', '"{\\"raw\\":\\"{\\\\\\"cut\\"}"'],
    ['[1]', '"{\\"raw\\":\\"[1]\\"}"'],
  ])('give a compatible server a JSON object for the arguments %j', (raw, wire) => {
    expect(chatHeads('assistant', 0, [call(raw)])[0]).toContain(`"arguments":${wire}}`);
  });

  it('use the same mapped id in a call and its result (anthropics/claude-code#63293)', () => {
    const id = 'x'.repeat(80);
    const [asked] = heads('assistant', 0, [{ type: 'call', call: id, name: 'read', arguments: '{}' }]);
    const [resultItem] = heads('user', 1, [result({ call: id })]);
    expect(/"call_id":"([^"]{1,64})"/.exec(asked ?? '')?.[1]).toBe(
      /"call_id":"([^"]{1,64})"/.exec(resultItem ?? '')?.[1],
    );
  });

  it('place results before text, and in Chat Completions place text before calls', () => {
    expect(lowerSpan(span('user', 1, [textPart('go on'), result({})]), LOWERING).map(({ holds }) => holds)).toEqual([
      'result',
      'text',
    ]);
    expect(lowerChat(span('assistant', 1, [call('{}'), textPart('so')]), LOWERING).map(({ holds }) => holds)).toEqual([
      'text',
      'call',
    ]);
  });

  it('keep an image in a result, or replace it with a text in Chat Completions (L6)', () => {
    const content = [{ type: 'text', text: 'seen' } as const, PICTURE];
    expect(heads('user', 1, [result({ content })])).toEqual([
      '{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"seen"},' +
        '{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AQID"}]}',
    ]);
    expect(chatHeads('user', 1, [result({ content })])[0]).toContain(
      `seen\\n[image left out: a tool message takes text only. image/png, 3 bytes, artifact ${PICTURE.artifact}]`,
    );
  });
});

describe('images', () => {
  const tiff: ImagePart = { ...PICTURE, mediaType: 'image/tiff', bytes: 77 };

  it('count tokens by their pixels and media by their bytes', () => {
    const [block] = lowerSpan(span('user', 0, [{ ...PICTURE, width: 64, height: 33 }]), LOWERING);
    expect(block).toMatchObject({ holds: 'image', tokens: 4, mediaBytes: 3 });
  });

  it('are replaced by a text with the reason if they cannot be sent (L6)', () => {
    expect(heads('user', 0, [tiff])[0]).toContain('only PNG, JPEG, GIF and WebP are accepted. image/tiff, 77 bytes');
    expect(heads('assistant', 0, [PICTURE])[0]).toContain('a message of role assistant takes none');
    expect(chatHeads('user', 0, [tiff])[0]).toContain('{"type":"text","text":"[image left out');
  });

  it('throw `provider/invalid` if their bytes were not loaded', () => {
    const lost = span('user', 0, [{ ...PICTURE, artifact: 'b'.repeat(64) }]);
    for (const lower of [lowerSpan, lowerChat]) {
      expect(() => lower(lost, LOWERING)).toThrow(expect.objectContaining({ code: 'provider/invalid' }));
    }
  });
});

describe('native items', () => {
  const item = '{"type":"web_search_call", "id":"ws_1","status":"completed"}';
  const native = { type: 'native', provider: 'openai', item, text: 'searched' } as const;

  it('are sent verbatim to their own API, and as their plain twin to any other API', () => {
    expect(heads('assistant', 0, [native])).toEqual([item]);
    expect(heads('assistant', 0, [{ ...native, provider: 'anthropic' }])).toEqual([
      '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"searched"}]}',
    ]);
    expect(chatHeads('assistant', 0, [native])).toEqual(['searched']);
  });
});

describe('a system message in the tail', () => {
  it('has the developer role if the model accepts a system message in the history, and the user role otherwise', () => {
    const words = span('system', 0, [textPart('read only')]);
    expect(lowerSpan(words, LOWERING)[0]).toMatchObject({ role: 'developer' });
    const capabilities = { ...LOWERING.capabilities, appends: [] };
    expect(lowerSpan(words, { ...LOWERING, capabilities })[0]).toMatchObject({ role: 'user' });
  });
});

describe('a change of the front', () => {
  const tools: ToolsChange = { type: 'change', change: 'tools', added: [], removed: [] };

  it('is a separate item if it sets another effort or adds tools', () => {
    expect(heads('system', 0, [{ type: 'change', change: 'reasoning', setting: 'high' }])).toEqual([
      '{"type":"configuration_update","reasoning":{"effort":"high"}}',
    ]);
    expect(heads('system', 0, [{ ...tools, added: [{ name: TOOL.name, definition: TOOL.digest }] }])).toEqual([
      '{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"extra","description":"More.",' +
        '"parameters":{"type":"object","properties":{"10":{},"9":{}}},"strict":false}]}',
    ]);
  });

  it('throws `provider/unsupported` if the API has no item for it', () => {
    const unsupported = expect.objectContaining({ code: 'provider/unsupported' });
    expect(() => heads('system', 0, [{ ...tools, removed: ['read'] }])).toThrow(unsupported);
    expect(() => chatHeads('system', 0, [{ type: 'change', change: 'reasoning', setting: 'high' }])).toThrow(
      unsupported,
    );
  });
});
