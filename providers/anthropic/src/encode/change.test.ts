import type { ChangePart, ToolsChange } from '@tidemark/model';
import { sha256, TOOL } from '@tidemark/model/contract';
import { describe, expect, it } from 'vitest';
import { BARE, ENVELOPE, LOWERING, span, wire } from '../../tests/fixtures.ts';
import { anthropicEncoder } from './encoder.ts';

const { lowerFront, lowerSpan, join } = anthropicEncoder;
const textPart = (words: string) => ({ type: 'text', text: words }) as const;
const level = (setting: string): ChangePart => ({ type: 'change', change: 'reasoning', setting });
const tools = (change: Partial<ToolsChange>): ChangePart => ({
  type: 'change',
  change: 'tools',
  added: [],
  removed: [],
  ...change,
});
const lowered = (...parts: readonly ChangePart[]) => lowerSpan(span('system', 1, parts), LOWERING);

describe('a change of tools', () => {
  it('removes a tool by name, adds a known tool by name, and adds a new tool with its definition', () => {
    const { name, digest: definition } = TOOL;
    const blocks = lowered(
      tools({
        removed: ['read'],
        added: [
          { name: 'grep', definition, known: true },
          { name, definition },
        ],
      }),
    );
    expect(wire(blocks)).toEqual([
      { type: 'tool_removal', tool: { type: 'tool_reference', name: 'read' } },
      { type: 'tool_addition', tool: { type: 'tool_reference', name: 'grep' } },
      {
        type: 'tool_addition',
        tool: {
          type: 'tool_definition',
          definition: {
            name: 'extra',
            description: 'More.',
            input_schema: { type: 'object', properties: { '10': {}, '9': {} } },
          },
        },
      },
    ]);
    expect(blocks.at(-1)?.head).toContain('"properties":{"10":{},"9":{}}');
    expect(blocks.map(({ markable, betas }) => [markable, betas])).toEqual(
      blocks.map(() => [true, ['inline-tools-2026-09-15']]),
    );
  });

  it('throws `provider/invalid` if the bytes of a definition were not loaded', () => {
    const missing = tools({ added: [{ name: 'grep', definition: 'c'.repeat(64) }] });
    expect(() => lowered(missing)).toThrow(expect.objectContaining({ code: 'provider/invalid' }));
  });
});

describe('a change of effort', () => {
  it('is a message without content, with 0 tokens and no marker', () => {
    const [block, ...more] = lowered(level('low'));
    expect(more).toEqual([]);
    expect(block).toMatchObject({
      head: '{"role":"system","content":[],"output_config":{"effort":"low"}}',
      markable: false,
      tokens: 0,
      betas: ['mid-conversation-output-config-2026-07-01'],
    });
  });
});

describe('a body with changes', () => {
  it('contains a separate message for each change of effort and of tools, at any position', () => {
    const front = lowerFront(BARE, LOWERING);
    const history = [
      span('system', 0, [level('low')]),
      span('user', 1, [textPart('go')]),
      span('system', 2, [tools({ removed: ['read'] })]),
      span('system', 3, [level('high')]),
      span('assistant', 4, [textPart('so')]),
      span('user', 5, [textPart('on')]),
      span('system', 6, [level('max')]),
    ];
    const blocks = [...front.blocks, ...history.flatMap((one) => lowerSpan(one, LOWERING))];
    const { body } = join(front, sha256).write(blocks, [], ENVELOPE);
    const { messages } = JSON.parse(new TextDecoder().decode(body));
    expect(messages).toEqual([
      { role: 'system', content: [], output_config: { effort: 'low' } },
      { role: 'user', content: [textPart('go')] },
      { role: 'system', content: [{ type: 'tool_removal', tool: { type: 'tool_reference', name: 'read' } }] },
      { role: 'system', content: [], output_config: { effort: 'high' } },
      { role: 'assistant', content: [textPart('so')] },
      { role: 'user', content: [textPart('on')] },
      { role: 'system', content: [], output_config: { effort: 'max' } },
    ]);
  });
});
