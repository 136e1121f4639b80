import assert from 'node:assert/strict';
import { test } from 'node:test';

import { add, emptyCart } from '../src/cart.js';
import { receipt } from '../src/receipt.js';

test('a receipt names each line and its rate', () => {
  const [line] = receipt(add(emptyCart(), { name: 'hammer', kind: 'tool', cents: 2000 }));
  assert.equal(line, '1 x hammer 20.00 (19%)');
});

// The tax office rounds each line to the nearest cent, a half up: 7% of 12.50 is 0.875, which is 0.88.
test('the tax on a book of 12.50 is 0.88', () => {
  const lines = receipt(add(emptyCart(), { name: 'novel', kind: 'book', cents: 1250 }));
  assert.deepEqual(lines.slice(1), ['net 12.50', 'tax 0.88', 'total 13.38']);
});
