import type { Front } from '@tidemark/model';
import { expect, it } from 'vitest';
import { BARE, LOWERING } from '../../tests/fixtures.ts';
import { header as bodyHeader, lowerFront } from './encoder.ts';

const origin = { from: 'layer', layer: 'tools', revision: '1' } as const;
const schema = '{"type":"object","properties":{"10":{"minimum":1.0},"9":{}}}';
const tool = { name: 'read', definition: `{"description":"Reads.","name":"read","schema":${schema}}`, origin };
const front = (more: Partial<Front>): Front => ({ ...BARE, ...more });

it('lists tools in the order given with the bytes of their schema', () => {
  const { blocks } = lowerFront(
    front({ tools: [tool, { ...tool, name: 'a', definition: `{"name":"a","schema":${schema}}` }] }),
    LOWERING,
  );
  expect(blocks.map(({ head, tail }) => head + tail)).toEqual([
    `{"name":"read","description":"Reads.","input_schema":${schema}}`,
    `{"name":"a","input_schema":${schema}}`,
  ]);
});

it('leaves blank system texts out and keeps recorded token counts', () => {
  const text = { text: 'You are.', stability: 'global', origin } as const;
  const { blocks } = lowerFront(front({ system: [text, { ...text, text: ' \n' }, { ...text, tokens: 99 }] }), LOWERING);
  expect(blocks.map(({ tokens }) => tokens)).toEqual([2, 99]);
});

it('heads the prefix with model and parameters as canonical JSON', () => {
  const lowered = lowerFront(front({ parameters: { thinking: { type: 'adaptive' }, effort: 'high' } }), LOWERING);
  expect(lowered.parameters).toBe('{"effort":"high","model":"claude-sonnet-5-5","thinking":{"type":"adaptive"}}');
});

it('writes the parameters before everything else, effort where the API has it', () => {
  const parameters = { thinking: { type: 'adaptive' }, effort: 'high', output_config: { format: null } };
  expect(bodyHeader(front({ parameters }))).toBe(
    '{"model":"claude-sonnet-5-5","output_config":{"effort":"high","format":null},"thinking":{"type":"adaptive"},',
  );
  expect(bodyHeader(front({ parameters: { disable_parallel_tool_use: true } }))).toBe(
    '{"model":"claude-sonnet-5-5","tool_choice":{"disable_parallel_tool_use":true,"type":"auto"},',
  );
  expect(bodyHeader(BARE)).toBe('{"model":"claude-sonnet-5-5",');
});

it.each(['reasoning', 'messages', 'model', 'max_tokens'])(
  'refuses the parameter %s, which it has no field for',
  (name) => {
    expect(() => lowerFront(front({ parameters: { [name]: 'x' } }), LOWERING)).toThrow(
      expect.objectContaining({ code: 'provider/unsupported', class: 'refused' }),
    );
  },
);

it.each([
  ['a name that the API refuses', { ...tool, name: 'fs.read' }],
  ['no schema', { ...tool, definition: '{"name":"read"}' }],
  ['a definition that is no JSON', { ...tool, definition: 'read' }],
])('refuses a tool with %s before anything is sent', (_what, bad) => {
  expect(() => lowerFront(front({ tools: [bad] }), LOWERING)).toThrow(
    expect.objectContaining({ code: 'provider/invalid' }),
  );
});
