import { expect, test } from 'vitest';

import { createDrawnRows } from './drawn-rows.ts';

test('`rowsSince` counts the rows of a terminal that wraps them, with the row of the cursor', () => {
  const rows = createDrawnRows();
  rows.write('above\n');
  const top = rows.row();
  rows.write(`${'a'.repeat(25)}\n\u001b[2m日本語日本語\u001b[22m\n\n${'c'.repeat(15)}`);
  expect(rows.rowsSince(top, 10, 'none')).toBe(3);
  expect(rows.rowsSince(top, 10, 'all')).toBe(3 + 2 + 1 + 1);
  expect(rows.rowsSince(top, 80, 'all')).toBe(3);
});

test('`write` follows the sequences that move the cursor and erase', () => {
  const rows = createDrawnRows();
  rows.write(`${'a'.repeat(25)}\n${'b'.repeat(25)}\n`);
  rows.write('\u001b[2A\u001b[5G\u001b[Kx\u001b[E\u001b[2K\u001b[G\u001b[J\u001b[?25h\n');
  expect(rows.row()).toBe(2);
  expect(rows.rowsSince(0, 3, 'all')).toBe(2 + 1);
});
