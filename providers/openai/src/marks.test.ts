import type { Block, Lowering, Marker } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { sha256 } from '@tidemark/model/contract';
import { expect, it } from 'vitest';
import { ENVELOPE, FRONT, HISTORY, LOWERING } from '../tests/fixtures.ts';
import { openaiChatEncoder } from './chat/encoder.ts';
import { openaiResponsesEncoder } from './responses/encoder.ts';

function loweringOf(model: string): Lowering {
  const capabilities = findModel(defaultCatalog(), model, 'openai');
  if (capabilities === undefined) throw new Error(`the catalog has no ${model}`);
  return { ...LOWERING, model, capabilities };
}

const SOL = loweringOf('gpt-5.6-sol');
const OLD = loweringOf('gpt-5.1');

function blocksOf(lowering: Lowering, encoder = openaiResponsesEncoder): readonly Block[] {
  const front = encoder.lowerFront(FRONT, lowering);
  return [...front.blocks, ...HISTORY.flatMap((one) => encoder.lowerSpan(one, lowering))];
}

function bodyOf(lowering: Lowering, markers: readonly Marker[]): string {
  const writer = openaiResponsesEncoder.join(openaiResponsesEncoder.lowerFront(FRONT, lowering), sha256);
  return Buffer.from(writer.write(blocksOf(lowering), markers, ENVELOPE).body).toString();
}

const contract = (ttl: Marker['ttl']): readonly Marker[] => [{ block: 2, ttl }];

it('a marker changes only the last part of the system texts and no other byte', () => {
  const marked = bodyOf(SOL, contract('30m'));
  expect(marked).toContain(
    '{"type":"input_text","text":"A role.","prompt_cache_breakpoint":{"mode":"explicit"}}]},{"type":"message","role":"user"',
  );
  expect(marked.replace(',"prompt_cache_breakpoint":{"mode":"explicit"}', '')).toBe(bodyOf(SOL, []));
  expect(bodyOf(SOL, contract('12h'))).toContain('"prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}');
});

it('a body without markers has the same bytes for models with and without explicit markers', () => {
  const unmarked = { ...SOL, capabilities: { ...SOL.capabilities, slots: 0 } };
  expect(bodyOf(SOL, [])).toBe(bodyOf(unmarked, []));
});

it('only system texts are markable, and only from GPT-5.6 on; in Chat Completions they are one string, so no block is markable', () => {
  const markable = (blocks: readonly Block[]): readonly number[] =>
    blocks.flatMap((block, index) => (block.markable ? [index] : []));
  expect(markable(blocksOf(SOL))).toEqual([1, 2]);
  expect(markable(blocksOf(OLD))).toEqual([]);
  expect(markable(blocksOf(SOL, openaiChatEncoder))).toEqual([]);
});

it('a body refuses a lifetime that OpenAI does not offer, and a marker on a block that takes no marker', () => {
  const refused = expect.objectContaining({ code: 'provider/invalid' });
  expect(() => bodyOf(SOL, contract('5m'))).toThrow(refused);
  expect(() => bodyOf(SOL, [{ block: 0, ttl: '30m' }])).toThrow(refused);
  expect(() => bodyOf(OLD, contract('30m'))).toThrow(refused);
});

it('`routing` sends the cache key if the catalog row has routing, and sends none to a compatible server', () => {
  const { routing: _none, ...compatible } = OLD.capabilities;
  for (const { routing } of [openaiResponsesEncoder, openaiChatEncoder]) {
    expect(routing?.('tm1.0', SOL.capabilities)).toEqual({ prompt_cache_key: 'tm1.0' });
    expect(routing?.('tm1.0', OLD.capabilities)).toEqual({ prompt_cache_key: 'tm1.0' });
    expect(routing?.('tm1.0', compatible)).toEqual({});
  }
});
