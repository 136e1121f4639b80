import type { Marker } from '@tidemark/model';
import { PICTURE } from '@tidemark/model/contract';
import { describe, expect, it } from 'vitest';
import { textPart, span } from '../../tests/fixtures.ts';
import { blocksOf, bodyOf, FRONT, HISTORY, LOWERING, MODEL } from '../../tests/openrouter-fixtures.ts';
import { askedLife, openrouterEncoder } from './encoder.ts';

const textOf = (...given: Parameters<typeof bodyOf>): string => Buffer.from(bodyOf(...given)).toString();

describe('a body', () => {
  it('is exact to the byte: the frozen fields, the messages with their markers, then the fields that vary by call', () => {
    const blocks = blocksOf(FRONT, HISTORY);
    const marked = ['tool', 'result', 'text'].map((holds) => blocks.findLastIndex((block) => block.holds === holds));
    const markers = [...marked.slice(0, 1), 2, ...marked.slice(1)].map((block, index): Marker => ({
      block,
      ttl: index < 2 ? '1h' : '5m',
    }));
    expect(textOf(FRONT, HISTORY, markers)).toBe(
      '{"model":"anthropic/claude-sonnet-5.5","reasoning":{"effort":"high"},"verbosity":"low",' +
        '"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object"}},"cache_control":{"type":"ephemeral","ttl":"1h"}}],' +
        '"messages":[{"role":"system","content":[{"type":"text","text":"You \\"are\\"."},{"type":"text","text":"A role.","cache_control":{"type":"ephemeral","ttl":"1h"}}]},' +
        '{"role":"user","content":[{"type":"text","text":"read both"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AQID"}}]},' +
        '{"role":"assistant","content":[{"type":"text","text":"I read."}],"tool_calls":[{"id":"call_1","type":"function","function":{"name":"read","arguments":"{\\"path\\": \\"a\\"}"}},' +
        '{"id":"tm_toolu_2_8773cf92a3519045","type":"function","function":{"name":"read","arguments":"{}"}}]},' +
        '{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"A"}]},' +
        `{"role":"tool","tool_call_id":"tm_toolu_2_8773cf92a3519045","content":[{"type":"text","text":"[the call failed]\\n[image left out: a tool message takes text only. image/png, 3 bytes, artifact ${PICTURE.artifact}]","cache_control":{"type":"ephemeral"}}]},` +
        '{"role":"user","content":[{"type":"text","text":"and?"},{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}]}],' +
        '"max_completion_tokens":1000,"stream":true,"session_id":"tm1.0"}',
    );
  });

  it('has `null` as the content of an answer that contains only calls', () => {
    const call = { type: 'call', call: 'c', name: 'read', arguments: '{}' } as const;
    const resultPart = { type: 'result', call: 'c', error: false, content: [] } as const;
    const body = textOf(FRONT, [span('assistant', 0, [call]), span('user', 1, [resultPart])]);
    expect(body).toContain('{"role":"assistant","content":null,"tool_calls":[');
    expect(body).toContain('"content":[{"type":"text","text":"(no output)"}]');
  });

  it('takes markers on text, results and tools, and on no other block', () => {
    const markable = new Set(blocksOf(FRONT, HISTORY).flatMap((block) => (block.markable ? [block.holds] : [])));
    expect([...markable].toSorted()).toEqual(['result', 'text', 'tool']);
    const image = blocksOf(FRONT, HISTORY).findIndex(({ holds }) => holds === 'image');
    expect(() => bodyOf(FRONT, HISTORY, [{ block: image, ttl: '5m' }])).toThrow(
      expect.objectContaining({ code: 'provider/invalid', data: { provider: 'openrouter' } }),
    );
  });

  it('refuses a parameter without a field in the API, and the error names OpenRouter', () => {
    const parameters = { thinking: { type: 'adaptive' } };
    expect(() => openrouterEncoder.lowerFront({ ...FRONT, parameters }, LOWERING)).toThrow(
      expect.objectContaining({
        code: 'provider/unsupported',
        message: expect.stringContaining('OpenRouter has no render parameter "thinking"'),
      }),
    );
  });
});

describe('the lifetime that a body asks for', () => {
  const spans = [span('user', 0, [textPart('one')]), span('user', 1, [textPart('two')])];
  const asked = (...ttls: readonly Marker['ttl'][]): string | undefined =>
    askedLife(
      bodyOf(
        { ...FRONT, model: MODEL },
        spans,
        ttls.map((ttl, index) => ({ block: index + 2, ttl })),
      ),
    );

  it('is the lifetime of all its markers, or undefined without markers or with different lifetimes', () => {
    expect([asked('5m'), asked('1h', '1h'), asked('1h', '5m'), asked()]).toEqual(['5m', '1h', undefined, undefined]);
  });

  it('ignores the text of a marker inside a message', () => {
    const words = 'write ,"cache_control":{"type":"ephemeral","ttl":"1h"}, please';
    expect(askedLife(bodyOf(FRONT, [span('user', 0, [textPart(words)])]))).toBe(undefined);
  });
});
