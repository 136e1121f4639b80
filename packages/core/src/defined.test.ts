import fc from 'fast-check';
import { expect, expectTypeOf, it } from 'vitest';
import { defined } from './defined.ts';

it('`defined` omits the members whose value is undefined, and keeps the order of the others', () => {
  const [absent, present]: readonly (number | undefined)[] = [undefined, 2];
  const made = defined({ z: 1, absent, b: present, a: null, f: false, n: 0, t: '' });
  expect(JSON.stringify(made)).toBe('{"z":1,"b":2,"a":null,"f":false,"n":0,"t":""}');
  expect('absent' in made).toBe(false);
});

it('`defined` returns an object equal to one that is built with conditional spreads', () => {
  const value = fc.option(fc.jsonValue(), { nil: undefined });
  fc.assert(
    fc.property(value, value, value, (a, b, c) => {
      const spread = {
        ...(a !== undefined && { a }),
        kind: 'x',
        ...(b === undefined ? {} : { b }),
        ...(c !== undefined && { c }),
      };
      const made = defined({ a, kind: 'x', b, c });
      expect(made).toStrictEqual(spread);
      expect(JSON.stringify(made)).toBe(JSON.stringify(spread));
    }),
  );
});

it('`defined` returns a copy', () => {
  const members = { a: 1 };
  expect(defined(members)).not.toBe(members);
});

it('`defined` keeps an own member of any name', () => {
  const made = defined({ ['__proto__']: { a: 1 }, b: 2 });
  expect(JSON.stringify(made)).toBe('{"__proto__":{"a":1},"b":2}');
  expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
});

it('the type of `defined` has an optional member without undefined for each member that may be undefined', () => {
  const count: number | undefined = [1].at(0);
  expectTypeOf(defined({ kind: 'x', count })).branded.toEqualTypeOf<{ readonly kind: 'x'; readonly count?: number }>();
});
