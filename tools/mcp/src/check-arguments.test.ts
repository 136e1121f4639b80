import { expect, test } from 'vitest';
import { checkerOf } from './check-arguments.ts';

test('`checkerOf` accepts arguments that match the schema and describes the fault of arguments that do not match', () => {
  const check = checkerOf({ type: 'object', properties: { count: { type: 'number' } }, required: ['count'] });
  expect([check({ count: 1 }), check({ count: 'one' }), check({})]).toEqual([
    undefined,
    '`count` must be number',
    "they must have required property 'count'",
  ]);
});

test('a fault in a nested value is described with its path', () => {
  const tasks = { type: 'array', items: { type: 'object', properties: { done: { type: 'boolean' } } } };
  const check = checkerOf({ type: 'object', properties: { tasks } });
  expect(check({ tasks: [{ done: 'yes' }] })).toBe('`tasks.0.done` must be boolean');
});

test('two schemas may have the same id', () => {
  const named = (type: string) => checkerOf({ $id: 'arguments', type: 'object', properties: { a: { type } } });
  expect([named('string')({ a: 'x' }), named('number')({ a: 1 })]).toEqual([undefined, undefined]);
});

test.each([[null], [true], [[]], ['object'], [{ $ref: 'https://example.org/schema' }], [{ type: 'no such type' }]])(
  'an invalid schema throws: %j',
  (schema) => expect(() => checkerOf(schema)).toThrow(Error),
);

test('a pattern that would run forever is stopped after 1,000 ms', () => {
  const check = checkerOf({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
  expect(check({ a: 'aaa' })).toBeUndefined();
  expect(check({ a: `${'a'.repeat(60)}!` })).toContain('could not be checked within 1000 ms');
  expect(check({ a: 'b' })).toContain('must match pattern');
});
