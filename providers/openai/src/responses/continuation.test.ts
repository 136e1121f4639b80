// Tests the conditions for a request that continues from an earlier answer by its id. The bytes of the answer are sent
// back unchanged, and its phases are kept. The body contains only the items after the answer.

import type { AnswerPart, Block, CallPart, NativePart, Span } from '@tidemark/model';
import { sha256 } from '@tidemark/model/contract';
import { describe, expect, it } from 'vitest';
import { bodyOf, ENVELOPE, FRONT, LOWERING, MODEL, play, textPart, span } from '../../tests/fixtures.ts';
import { openaiChatEncoder } from '../chat/encoder.ts';
import { openaiResponsesEncoder } from './encoder.ts';
import { beginResponse } from './stream.ts';

const { echoes, lowerFront, lowerSpan, join } = openaiResponsesEncoder;

const message = (phase?: string | null): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  ...(phase !== undefined && { phase }),
  content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
});

function partsOf(item: object): readonly AnswerPart[] {
  const answer = play(beginResponse(), [
    { type: 'response.created', response: { id: 'resp_1', model: MODEL } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed', usage: null } },
  ]);
  return answer.flatMap((part) => (part.type === 'finished' ? part.answer.parts : []));
}

describe('the phase of a message', () => {
  it('arrives with the answer and is sent back with it', () => {
    const parts = partsOf(message('commentary'));
    expect(parts).toEqual([{ type: 'text', text: 'I look.', phase: 'commentary' }]);
    const spans = [
      span('user', 0, [textPart('go')]),
      span('assistant', 1, [...parts.filter((part) => part.type !== 'reasoning'), textPart('Done.')]),
    ];
    expect(bodyOf(openaiResponsesEncoder, { ...FRONT, tools: [], system: [] }, spans)).toContain(
      '{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look."}]},' +
        '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}]',
    );
    expect(bodyOf(openaiChatEncoder, FRONT, spans)).not.toContain('commentary');
  });

  it.each([undefined, null])('is omitted if it is %s', (phase) => {
    expect(partsOf(message(phase))).toEqual([{ type: 'text', text: 'I look.' }]);
  });

  it('is kept with the text of a message that was cut', () => {
    const answer = play(beginResponse(), [
      { type: 'response.output_item.added', output_index: 0, item: { ...message('final_answer'), content: [] } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'I lo' },
      { type: 'response.incomplete', response: { id: 'resp_1', status: 'incomplete', usage: null } },
    ]);
    expect(answer.at(-1)).toMatchObject({ answer: { parts: [{ text: 'I lo', phase: 'final_answer' }] } });
  });
});

describe('`echoes`', () => {
  const lowered = (part: Span['parts'][number]): Block => {
    const [block] = lowerSpan(span('assistant', 1, [part, textPart('end')]), LOWERING);
    if (block === undefined) throw new Error('nothing was lowered');
    return block;
  };
  const call: CallPart = { type: 'call', call: 'call_1', name: 'read', arguments: '{"path": "a"}' };
  const native: NativePart = { type: 'native', provider: 'openai', item: '{"type": "web_search_call"}', text: 'x' };
  const opaque = '{"type":"reasoning","summary":[],"encrypted_content":"e"}';

  it('is true for a block that sends a part of an answer back byte for byte', () => {
    const thought = { type: 'reasoning', opaque, text: 'hm' } as const;
    const parts = [{ type: 'text', text: 'a', phase: 'commentary' }, call, native] as const;
    for (const part of parts) expect(echoes?.(part, lowered(part))).toBe(true);
    expect(echoes?.(thought, lowered({ ...thought, provider: 'openai', model: MODEL }))).toBe(true);
  });

  it.each<readonly [string, AnswerPart, Span['parts'][number]]>([
    ['different text', { type: 'text', text: 'a' }, { type: 'text', text: 'b' }],
    ['a dropped phase', { type: 'text', text: 'a', phase: 'commentary' }, { type: 'text', text: 'a' }],
    ['a call under another id', call, { ...call, call: 'call_1_4' }],
    ['a call without arguments', { ...call, arguments: '' }, { ...call, arguments: '' }],
    ['an id that the API would refuse', { ...call, call: 'a|b' }, { ...call, call: 'a|b' }],
    ['a name that the API would refuse', { ...call, name: 'a.b' }, { ...call, name: 'a.b' }],
    ['an item of another API', { ...native, provider: 'anthropic' }, { ...native, provider: 'anthropic' }],
  ])('is false for %s', (_what, part, packed) => {
    expect(echoes?.(part, lowered(packed))).toBe(false);
  });
});

describe('the body of a continuation', () => {
  it('is exact to the byte: all parameters and tools, and the items after the answer', () => {
    const front = lowerFront(FRONT, LOWERING);
    const spans = [
      span('user', 0, [textPart('go')]),
      span('assistant', 1, [{ type: 'call', call: 'call_1', name: 'read', arguments: '{}' }]),
      span('user', 2, [{ type: 'result', call: 'call_1', error: false, content: [{ type: 'text', text: 'A' }] }]),
      span('user', 3, [textPart('and?')]),
    ];
    const blocks = [...front.blocks, ...spans.flatMap((one) => lowerSpan(one, LOWERING))];
    const writer = join(front, sha256);
    writer.write(blocks, [], ENVELOPE);
    const written = writer.writeContinuation?.(
      { response: 'resp_1', from: front.blocks.length + 2 },
      blocks,
      [],
      ENVELOPE,
    );
    expect(Buffer.from(written?.body ?? []).toString()).toBe(
      '{"model":"gpt-5.6-sol","include":["reasoning.encrypted_content"],"reasoning":{"effort":"high"},"store":false,"text":{"verbosity":"low"},' +
        '"tools":[{"type":"function","name":"read","description":"Reads.","parameters":{"type":"object"},"strict":false}],' +
        '"input":[{"type":"function_call_output","call_id":"call_1","output":"A"},' +
        '{"type":"message","role":"user","content":[{"type":"input_text","text":"and?"}]}],' +
        '"max_output_tokens":1000,"stream":true,"previous_response_id":"resp_1","prompt_cache_key":"tm1.0"}',
    );
    expect(written?.digest).toBe(
      sha256()
        .update(written?.body ?? '')
        .hex(),
    );
  });

  it('does not exist in Chat Completions', () => {
    const front = openaiChatEncoder.lowerFront(FRONT, LOWERING);
    expect(openaiChatEncoder.join(front, sha256).writeContinuation).toBeUndefined();
    expect(openaiChatEncoder.echoes).toBeUndefined();
  });
});
