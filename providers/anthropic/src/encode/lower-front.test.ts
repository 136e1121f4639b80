import type { Front } from '@tidemark/model';
import { expect, it } from 'vitest';
import { BARE, LOWERING } from '../../tests/fixtures.ts';
import { header as bodyHeader, lowerFront } from './encoder.ts';

const origin = { from: 'layer', layer: 'tools', revision: '1' } as const;
const schema = '{"type":"object","properties":{"10":{"minimum":1.0},"9":{}}}';
const tool = { name: 'read', definition: `{"description":"Reads.","name":"read","schema":${schema}}`, origin };
const front = (more: Partial<Front>): Front => ({ ...BARE, ...more });

it('`lowerFront` keeps the order of the tools and the bytes of their schemas', () => {
  const { blocks } = lowerFront(
    front({ tools: [tool, { ...tool, name: 'a', definition: `{"name":"a","schema":${schema}}` }] }),
    LOWERING,
  );
  expect(blocks.map(({ head, tail }) => head + tail)).toEqual([
    `{"name":"read","description":"Reads.","input_schema":${schema}}`,
    `{"name":"a","input_schema":${schema}}`,
  ]);
});

it('`lowerFront` omits blank system texts and keeps recorded token counts', () => {
  const text = { text: 'You are.', stability: 'global', origin } as const;
  const { blocks } = lowerFront(front({ system: [text, { ...text, text: ' \n' }, { ...text, tokens: 99 }] }), LOWERING);
  expect(blocks.map(({ tokens }) => tokens)).toEqual([2, 99]);
});

it('`lowerFront` returns model and parameters as canonical JSON for the start of the prefix', () => {
  const lowered = lowerFront(front({ parameters: { thinking: { type: 'adaptive' }, effort: 'high' } }), LOWERING);
  expect(lowered.parameters).toBe('{"effort":"high","model":"claude-sonnet-5-5","thinking":{"type":"adaptive"}}');
});

it('the header contains the parameters, with effort in the field that the API defines for it', () => {
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
  '`lowerFront` refuses the parameter %s, which has no field in the API',
  (name) => {
    expect(() => lowerFront(front({ parameters: { [name]: 'x' } }), LOWERING)).toThrow(
      expect.objectContaining({ code: 'provider/unsupported', class: 'refused' }),
    );
  },
);

it.each([
  ['a name that the API refuses', { ...tool, name: 'fs.read' }],
  ['no schema', { ...tool, definition: '{"name":"read"}' }],
  ['a definition that is not JSON', { ...tool, definition: 'read' }],
])('`lowerFront` refuses a tool with %s before the request is sent', (_what, bad) => {
  expect(() => lowerFront(front({ tools: [bad] }), LOWERING)).toThrow(
    expect.objectContaining({ code: 'provider/invalid' }),
  );
});
