import { expect, test } from 'vitest';
import { checkerOf } from './check-arguments.ts';

test('arguments fit the schema, or what is wrong is said', () => {
  const check = checkerOf({ type: 'object', properties: { count: { type: 'number' } }, required: ['count'] });
  expect([check({ count: 1 }), check({ count: 'one' }), check({})]).toEqual([
    undefined,
    'data/count must be number',
    "data must have required property 'count'",
  ]);
});

test('two schemas may have one name', () => {
  const named = (type: string) => checkerOf({ $id: 'arguments', type: 'object', properties: { a: { type } } });
  expect([named('string')({ a: 'x' }), named('number')({ a: 1 })]).toEqual([undefined, undefined]);
});

test.each([[null], [true], [[]], ['object'], [{ $ref: 'https://example.org/schema' }], [{ type: 'no such type' }]])(
  'a schema that is none is refused: %j',
  (schema) => expect(() => checkerOf(schema)).toThrow(Error),
);

test('a pattern that would never end holds nobody', () => {
  const check = checkerOf({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
  expect(check({ a: 'aaa' })).toBeUndefined();
  expect(check({ a: `${'a'.repeat(60)}!` })).toContain('could not be checked within 1000 ms');
  expect(check({ a: 'b' })).toContain('must match pattern');
});
