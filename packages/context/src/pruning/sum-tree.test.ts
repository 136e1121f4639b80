import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addAt, appendZero, firstPositive, sumOfFirst, sumTree } from './sum-tree.ts';

const edit = fc.record({ at: fc.nat(99), vector: fc.tuple(fc.integer(), fc.integer()), times: fc.constantFrom(1, -1) });

test('`sumOfFirst` equals the sum of a plain list while items are appended and changed', () => {
  fc.assert(
    fc.property(fc.array(fc.option(edit, { nil: undefined }), { maxLength: 80 }), (edits) => {
      const tree = sumTree(2);
      const plain: [number, number][] = [];
      for (const one of edits) {
        if (one === undefined || plain.length === 0) {
          appendZero(tree);
          plain.push([0, 0]);
          continue;
        }
        const index = one.at % plain.length;
        const [a, b] = plain[index] ?? [0, 0];
        const { vector, times } = one;
        addAt(tree, index, vector, times);
        plain[index] = [a + times * vector[0], b + times * vector[1]];
      }
      for (let length = 0; length <= plain.length; length += 1) {
        const first = plain.slice(0, length);
        const sum = (of: 0 | 1): number => first.reduce((all, item) => all + item[of], 0);
        expect(sumOfFirst(tree, length)).toEqual([sum(0), sum(1)]);
      }
    }),
  );
});

test('`firstPositive` equals a linear search at every index', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0, 0, 0, 1, 7), { maxLength: 40 }), (numbers) => {
      const tree = sumTree(1);
      for (const [index, number] of numbers.entries()) {
        appendZero(tree);
        addAt(tree, index, [number], 1);
      }
      for (let index = 0; index <= numbers.length; index += 1) {
        const found = numbers.findIndex((number, at) => at >= index && number > 0);
        expect(firstPositive(tree, index)).toBe(found === -1 ? undefined : found);
      }
    }),
  );
});
