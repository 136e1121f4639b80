import assert from 'node:assert/strict';
import { test } from 'node:test';

import { add, emptyCart, totals } from '../src/cart.js';

test('an empty cart costs nothing', () => {
  assert.deepEqual(totals(emptyCart()), { net: 0, tax: 0, gross: 0 });
});

test('lines add up', () => {
  const cart = add(add(emptyCart(), { name: 'hammer', kind: 'tool', cents: 2000 }), {
    name: 'bread',
    kind: 'food',
    cents: 300,
    count: 2,
  });
  assert.deepEqual(totals(cart), { net: 2600, tax: 422, gross: 3022 });
});
