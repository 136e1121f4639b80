import { createHash } from 'node:crypto';
import type { Block, Hash, Span } from '@tidemark/model';
import { sha256 } from '@tidemark/model/contract';
import { describe, expect, it } from 'vitest';
import { BARE, bodyOf, ENVELOPE, FRONT, HISTORY, LOWERING, textPart, span } from '../tests/fixtures.ts';
import { openaiChatEncoder } from './chat/encoder.ts';
import { openaiResponsesEncoder } from './responses/encoder.ts';

describe('a body of the Responses API', () => {
  it('is exact to the byte: the frozen fields, the items in order, then the fields that vary by call', () => {
    expect(bodyOf(openaiResponsesEncoder, FRONT, HISTORY)).toBe(
      '{"model":"gpt-5.6-sol","include":["reasoning.encrypted_content"],"reasoning":{"effort":"high"},"store":false,"text":{"verbosity":"low"},' +
        '"tools":[{"type":"function","name":"read","description":"Reads.","parameters":{"type":"object"},"strict":false}],' +
        '"input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"You \\"are\\"."},{"type":"input_text","text":"A role."}]},' +
        '{"type":"message","role":"user","content":[{"type":"input_text","text":"read both"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AQID"}]},' +
        '{"id":"rs_1", "type":"reasoning","summary":[],"encrypted_content":"xyz=="},' +
        '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I read."}]},' +
        '{"type":"function_call","call_id":"call_1","name":"read","arguments":"{\\"path\\": \\"a\\"}"},' +
        '{"type":"function_call","call_id":"tm_toolu_2_8773cf92a3519045","name":"read","arguments":"{}"},' +
        '{"type":"function_call_output","call_id":"call_1","output":"A"},' +
        '{"type":"function_call_output","call_id":"tm_toolu_2_8773cf92a3519045","output":"[the call failed]\\n(no output)"},' +
        '{"type":"message","role":"user","content":[{"type":"input_text","text":"and?"},{"type":"input_text","text":"be brief"}]}],' +
        '"max_output_tokens":1000,"stream":true,"prompt_cache_key":"tm1.0"}',
    );
  });

  it('has no `tools` field without tools, and requests reasoning only from a model that reasons', () => {
    const spans = [span('user', 0, [textPart('hi')])];
    expect(bodyOf(openaiResponsesEncoder, { ...BARE, model: 'gpt-4.1' }, spans, { ...ENVELOPE, fields: {} })).toBe(
      '{"model":"gpt-4.1","store":false,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],"max_output_tokens":1000,"stream":true}',
    );
    expect(JSON.parse(bodyOf(openaiResponsesEncoder, BARE, []))).toHaveProperty('input', []);
    expect(JSON.parse(bodyOf(openaiResponsesEncoder, { ...FRONT, system: [] }, []))).toHaveProperty('input', []);
    expect(JSON.parse(bodyOf(openaiResponsesEncoder, FRONT, []))).toHaveProperty('input.0.role', 'developer');
  });
});

describe('a body of Chat Completions', () => {
  it('is exact to the byte, with text as strings and without reasoning', () => {
    expect(bodyOf(openaiChatEncoder, { ...FRONT, model: 'llama3.3', parameters: { temperature: 0 } }, HISTORY)).toBe(
      '{"model":"llama3.3","temperature":0,' +
        '"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object"}}}],' +
        '"messages":[{"role":"system","content":"You \\"are\\".\\n\\nA role."},' +
        '{"role":"user","content":[{"type":"text","text":"read both"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AQID"}}]},' +
        '{"role":"assistant","content":"I read.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"read","arguments":"{\\"path\\": \\"a\\"}"}},' +
        '{"id":"tm_toolu_2_8773cf92a3519045","type":"function","function":{"name":"read","arguments":"{}"}}]},' +
        '{"role":"tool","tool_call_id":"call_1","content":"A"},' +
        '{"role":"tool","tool_call_id":"tm_toolu_2_8773cf92a3519045","content":"[the call failed]\\n(no output)"},' +
        '{"role":"user","content":"and?\\n\\nbe brief"}],' +
        '"max_tokens":1000,"stream":true,"stream_options":{"include_usage":true},"prompt_cache_key":"tm1.0"}',
    );
  });

  it('has `null` as the content of an answer that contains only calls', () => {
    const spans: readonly Span[] = [
      span('assistant', 0, [{ type: 'call', call: 'c', name: 'read', arguments: '{}' }]),
      span('user', 1, [{ type: 'result', call: 'c', error: false, content: [] }]),
    ];
    expect(bodyOf(openaiChatEncoder, BARE, spans)).toContain('{"role":"assistant","content":null,"tool_calls":[');
  });

  it('has a separate message for a list of parts that follows text of the same group', () => {
    const spans = [span('user', 0, [textPart('see')]), ...HISTORY.slice(0, 1)];
    const body: unknown = JSON.parse(bodyOf(openaiChatEncoder, BARE, spans));
    expect(body).toHaveProperty('messages', [
      { role: 'user', content: 'see' },
      { role: 'user', content: [expect.objectContaining({ type: 'text' }), expect.anything()] },
    ]);
  });

  it("uses the names that OpenAI's reasoning models require for the parameters and the output limit", () => {
    expect(bodyOf(openaiChatEncoder, FRONT, [])).toMatch(
      /^\{"model":"gpt-5.6-sol","reasoning_effort":"high","verbosity":"low",.*"max_completion_tokens":1000,/,
    );
  });
});

it('the Responses API accepts text between calls and their results, and Chat Completions does not', () => {
  const spans = [
    span('assistant', 0, [{ type: 'call', call: 'c', name: 'read', arguments: '{}' }]),
    span('assistant', 0, [textPart('wait')]),
    span('user', 1, [{ type: 'result', call: 'c', error: false, content: [] }]),
  ];
  expect(() => bodyOf(openaiResponsesEncoder, BARE, spans)).not.toThrow();
  expect(() => bodyOf(openaiChatEncoder, BARE, spans)).toThrow(
    expect.objectContaining({ code: 'provider/unclosed-history' }),
  );
});

describe.each([
  ['responses', openaiResponsesEncoder],
  ['chat', openaiChatEncoder],
])('a body writer of %s', (_name, encoder) => {
  const lowered = encoder.lowerFront(FRONT, LOWERING);
  const lower = (spans: readonly Span[]): readonly Block[] => spans.flatMap((one) => encoder.lowerSpan(one, LOWERING));
  const blocks = [...lowered.blocks, ...lower(HISTORY)];
  const refusal = expect.objectContaining({ code: 'provider/invalid', class: 'refused' });

  it('hashes only the new blocks of a step and not the whole history', () => {
    const fed = { bytes: 0 };
    const wrap = (hash: ReturnType<typeof createHash>): Hash => ({
      update: (data) => {
        fed.bytes += Buffer.byteLength(data);
        return wrap(hash.update(data));
      },
      copy: () => wrap(hash.copy()),
      hex: () => hash.digest('hex'),
    });
    const writer = encoder.join(lowered, () => wrap(createHash('sha256')));
    let sent: readonly Block[] = lowered.blocks;
    for (let index = 0; index < 40; index += 1) {
      sent = [...sent, ...lower([span('user', index, [textPart(`${index} ${'q'.repeat(10_000)}`)], true)])];
      const before = fed.bytes;
      const { digest, body } = writer.write(sent, [], ENVELOPE);
      expect(digest).toBe(createHash('sha256').update(body).digest('hex'));
      expect(fed.bytes - before).toBeLessThan(12_000);
    }
  });

  it('refuses a marker, blocks without their front, and a history that was changed after it was sent (L3)', () => {
    const writer = encoder.join(lowered, sha256);
    expect(() => writer.write(blocks, [{ block: 0, ttl: '5m' }], ENVELOPE)).toThrow(refusal);
    expect(() => writer.write(blocks.slice(1), [], ENVELOPE)).toThrow(refusal);
    writer.write(blocks, [], ENVELOPE);
    const edited = blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, head: 'x' } : block));
    expect(() => writer.write(edited, [], ENVELOPE)).toThrow(refusal);
  });

  it('refuses an envelope that writes a field twice', () => {
    for (const name of ['model', 'stream', encoder === openaiChatEncoder ? 'messages' : 'input', 'tools']) {
      const twice = { ...ENVELOPE, fields: { [name]: true } };
      expect(() => bodyOf(encoder, FRONT, HISTORY, twice)).toThrow(refusal);
    }
  });

  it('writes the correct next body after it refused a body', () => {
    const writer = encoder.join(lowered, sha256);
    const open = [...lowered.blocks, ...lower(HISTORY.slice(0, 2))];
    expect(() => writer.write(open, [], ENVELOPE)).toThrow(
      expect.objectContaining({ code: 'provider/unclosed-history' }),
    );
    expect(() => writer.write(blocks, [], { ...ENVELOPE, fields: { stream: false } })).toThrow(refusal);
    expect(writer.write(blocks, [], ENVELOPE)).toEqual(encoder.join(lowered, sha256).write(blocks, [], ENVELOPE));
  });

  it('refuses a parameter without a field in the API, and a tool that the API would refuse', () => {
    expect(() => encoder.lowerFront({ ...FRONT, parameters: { effort: 'high' } }, LOWERING)).toThrow(
      expect.objectContaining({ code: 'provider/unsupported', message: expect.stringContaining('"effort"') }),
    );
    const tool = { ...FRONT.tools[0], name: 'mcp.read', definition: '{"name":"mcp.read","schema":{}}' };
    const { origin } = FRONT.system[0] ?? { origin: { from: 'layer', layer: 'tools', revision: '1' } as const };
    for (const wrong of [tool, { ...tool, name: 'read', definition: '{"name":"read"}' }]) {
      expect(() => encoder.lowerFront({ ...FRONT, tools: [{ ...wrong, origin }] }, LOWERING)).toThrow(refusal);
    }
  });
});
