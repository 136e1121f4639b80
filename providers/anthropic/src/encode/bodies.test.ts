import { createHash } from 'node:crypto';
import type { Block, Front, Hash, LoweredFront, Marker, Part, Span } from '@tidemark/model';
import { PICTURE, randomFront, randomHistory, sha256 } from '@tidemark/model/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BARE, ENVELOPE, LOWERING, MODEL, span } from '../../tests/fixtures.ts';
import { anthropicEncoder } from './encoder.ts';

const origin = { from: 'layer', layer: 'runtime', revision: '1' } as const;
const front: Front = {
  model: MODEL,
  parameters: { thinking: { type: 'adaptive' }, tool_choice: { type: 'auto' } },
  tools: [{ name: 'read', definition: '{"description":"Reads.","name":"read","schema":{"type":"object"}}', origin }],
  system: [{ text: 'You are.', stability: 'global', origin }],
};
const textPart = (text: string): Part => ({ type: 'text', text });
const history: readonly Span[] = [
  span('user', 0, [textPart('read a')], true),
  span('user', 0, [PICTURE]),
  span('assistant', 1, [{ type: 'call', call: 'c1', name: 'read', arguments: '{"path":"a"}' }]),
  span('user', 2, [{ type: 'result', call: 'c1', error: false, content: [{ type: 'text', text: 'A' }] }]),
];

function lower(spans: readonly Span[], lowered: LoweredFront): readonly Block[] {
  return [...lowered.blocks, ...spans.flatMap((one) => anthropicEncoder.lowerSpan(one, LOWERING))];
}

function body(of: Front, spans: readonly Span[], markers: readonly Marker[] = []): string {
  const lowered = anthropicEncoder.lowerFront(of, LOWERING);
  const { body: bytes } = anthropicEncoder.join(lowered, sha256).write(lower(spans, lowered), markers, ENVELOPE);
  return Buffer.from(bytes).toString();
}

it('the text of a body is exact to the byte: the frozen fields, the messages, then the fields that vary by call', () => {
  const markers: readonly Marker[] = [
    { block: 0, ttl: '1h' },
    { block: 1, ttl: '1h' },
    { block: 5, ttl: '5m' },
  ];
  expect(body(front, history, markers)).toBe(
    '{"model":"claude-sonnet-5-5","thinking":{"type":"adaptive"},"tool_choice":{"type":"auto"},' +
      '"tools":[{"name":"read","description":"Reads.","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral","ttl":"1h"}}],' +
      '"system":[{"type":"text","text":"You are.","cache_control":{"type":"ephemeral","ttl":"1h"}}],' +
      '"messages":[{"role":"user","content":[{"type":"text","text":"read a"},' +
      '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQID"}}]},' +
      '{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{"path":"a"}}]},' +
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"A"}],"cache_control":{"type":"ephemeral"}}]}],' +
      '"max_tokens":1000,"stream":true}',
  );
});

it('a body without tools or system texts has no `tools` or `system` field', () => {
  expect(body(BARE, history.slice(0, 1))).toBe(
    '{"model":"claude-sonnet-5-5","messages":[{"role":"user","content":[{"type":"text","text":"read a"}]}],"max_tokens":1000,"stream":true}',
  );
  expect(body(front, [])).toContain('"text":"You are."}],"messages":[],"max_tokens"');
});

it('the body of any history equals the JSON of its blocks, message by message', () => {
  const to = { provider: 'anthropic', model: MODEL };
  fc.assert(
    fc.property(randomFront(to), randomHistory(to), (any, spans) => {
      const lowered = anthropicEncoder.lowerFront(any, LOWERING);
      const blocks = lower(spans, lowered);
      const parsed: unknown = JSON.parse(body(any, spans));
      expect(parsed).toEqual(naiveBody(blocks));
    }),
  );
});

// Builds the expected body from parsed objects instead of bytes. The test compares it with the parsed body. So the test
// finds a wrong comma, bracket or quote.
function naiveBody(blocks: readonly Block[]): unknown {
  const value = ({ head, tail }: Block): unknown => JSON.parse(head + tail);
  const messages: { role: string; group: number; content: unknown[] }[] = [];
  for (const block of blocks.filter(({ section }) => section === 'messages')) {
    const last = messages.at(-1);
    if (last?.group === block.group && last.role === block.role) last.content.push(value(block));
    else messages.push({ role: block.role, group: block.group, content: [value(block)] });
  }
  const tools = blocks.filter(({ section }) => section === 'tools').map(value);
  const system = blocks.filter(({ section }) => section === 'system').map(value);
  return {
    model: MODEL,
    ...(tools.length > 0 && { tools }),
    ...(system.length > 0 && { system }),
    messages: messages.map(({ role, content }) => ({ role, content })),
    max_tokens: 1_000,
    stream: true,
  };
}

describe('the number of bytes hashed for a step', () => {
  function countingHash(fed: { bytes: number }): () => Hash {
    const wrap = (hash: ReturnType<typeof createHash>): Hash => ({
      update: (data) => {
        fed.bytes += Buffer.byteLength(data);
        return wrap(hash.update(data));
      },
      copy: () => wrap(hash.copy()),
      hex: () => hash.digest('hex'),
    });
    return () => wrap(createHash('sha256'));
  }

  const turn = (index: number): readonly Span[] => [
    span('user', index * 2, [textPart(`${index} ${'q'.repeat(10_000)}`)], true),
    span('assistant', index * 2 + 1, [textPart('a'.repeat(10_000))]),
  ];

  it('depends on the new blocks and not on the length of the history', () => {
    const fed = { bytes: 0 };
    const lowered = anthropicEncoder.lowerFront(front, LOWERING);
    const writer = anthropicEncoder.join(lowered, countingHash(fed));
    let blocks: readonly Block[] = lowered.blocks;
    let accepted: number | undefined;
    for (let index = 0; index < 100; index += 1) {
      blocks = [...blocks, ...lower(turn(index), { ...lowered, blocks: [] })];
      const end = blocks.length - 1;
      const tail = accepted === undefined ? [end] : [accepted, end];
      const markers = [0, 1, ...tail].map((block): Marker => ({ block, ttl: '5m' }));
      const before = fed.bytes;
      const { digest, body: bytes } = writer.write(blocks, markers, ENVELOPE);
      expect(digest).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(fed.bytes - before).toBeLessThan(62_000);
      accepted = end;
    }
    expect(blocks).toHaveLength(202);
  });
});

describe('a body writer', () => {
  const refusal = expect.objectContaining({ code: 'provider/invalid', class: 'refused' });
  const lowered = anthropicEncoder.lowerFront(front, LOWERING);
  const blocks = lower(history, lowered);
  const writer = () => anthropicEncoder.join(lowered, sha256);

  it('refuses a marker on a block that does not exist', () => {
    expect(() => writer().write(blocks, [{ block: 99, ttl: '5m' }], ENVELOPE)).toThrow(refusal);
  });

  it('refuses a list of blocks that lacks the front', () => {
    expect(() => writer().write(blocks.slice(2), [], ENVELOPE)).toThrow(refusal);
  });

  it('refuses a history that was changed after it was sent (L3)', () => {
    const used = writer();
    used.write(blocks, [{ block: 5, ttl: '5m' }], ENVELOPE);
    const edited = blocks.map((block, index) => (index === 4 ? { ...block, head: `${block.head} ` } : block));
    expect(() => used.write(edited, [], ENVELOPE)).toThrow(refusal);
  });

  it('refuses an envelope that writes a field twice', () => {
    const twice = { ...ENVELOPE, fields: { tool_choice: { type: 'any' } } };
    expect(() => writer().write(blocks, [], twice)).toThrow(refusal);
  });

  it('refuses text before the results of a message (anthropics/claude-code#3639)', () => {
    const open = lower([...history.slice(0, 3), span('user', 2, [textPart('wait')]), ...history.slice(3)], lowered);
    expect(() => writer().write(open, [], ENVELOPE)).toThrow(
      expect.objectContaining({ code: 'provider/unclosed-history' }),
    );
  });

  it('refuses text between the results of a message', () => {
    const call = (id: string): Part => ({ type: 'call', call: id, name: 'read', arguments: '{}' });
    const result = (id: string): Span => span('user', 1, [{ type: 'result', call: id, error: false, content: [] }]);
    const spans = [
      span('assistant', 0, [call('a'), call('b')]),
      result('a'),
      span('user', 1, [textPart('also')]),
      result('b'),
    ];
    expect(() => writer().write(lower(spans, lowered), [], ENVELOPE)).toThrow(
      expect.objectContaining({ code: 'provider/unclosed-history' }),
    );
  });

  it('writes the correct next body after it refused a body', () => {
    const used = writer();
    expect(() => used.write(lower(history.slice(0, 3), lowered), [], ENVELOPE)).toThrow();
    expect(used.write(blocks, [], ENVELOPE)).toEqual(writer().write(blocks, [], ENVELOPE));
  });
});
