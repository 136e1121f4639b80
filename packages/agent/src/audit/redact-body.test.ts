import type { JsonValue } from '@tidemark/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactBody } from './request-snapshots.ts';

const shapeOf = (body: JsonValue): JsonValue | undefined => redactBody(new TextEncoder().encode(JSON.stringify(body)));

test('`redactBody` keeps structure, numbers and the words of the wire format, and replaces texts by their sizes', () => {
  expect(
    shapeOf({
      model: 'm',
      max_tokens: 9,
      stream: true,
      system: [{ type: 'text', text: 'You are.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      tools: [{ name: 'read', description: 'Reads.', input_schema: { type: 'object', properties: { secret: {} } } }],
      messages: [{ role: 'user', content: 'Grüß' }],
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
    }),
  ).toEqual({
    model: 'm',
    max_tokens: 9,
    stream: true,
    system: [{ type: 'text', text: '8 bytes', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    tools: [{ name: '4 bytes', description: '6 bytes', input_schema: '44 bytes' }],
    messages: [{ role: 'user', content: '6 bytes' }],
    input: [{ role: 'user', content: [{ type: 'input_text', text: '5 bytes' }] }],
  });
});

test("`redactBody` shows nothing of a call's arguments", () => {
  const secret = 'swordfish';
  const around = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant(secret),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('type', 'role', 'text', secret), tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(around, fc.constantFrom('input', 'arguments', 'parameters'), (given, field) => {
      const call = { type: 'tool_use', [field]: { given } };
      expect(JSON.stringify(shapeOf({ messages: [{ role: 'assistant', content: [call] }] }))).not.toContain(secret);
    }),
  );
});

test('`redactBody` returns `undefined` for a body that is not JSON', () => {
  expect(redactBody(new TextEncoder().encode('{"a":1}\n{"b":2}'))).toBeUndefined();
});
