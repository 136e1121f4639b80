import { expect, test } from 'vitest';

import { createVirtualTerminal } from '../../../tests/virtual-terminal.ts';
import { erasedByRows } from './erase-rows.ts';

test('`erasedByRows` erases from the cursor to the end of the screen, and leaves the cursor at its place', async () => {
  const terminal = createVirtualTerminal(10, 4);
  await terminal.write('abcd\r\nefgh\r\nijkl\r\nmnop\u001b[2;3H');
  await terminal.write(erasedByRows('\u001b[J', 4));
  expect(await terminal.all()).toEqual(['abcd', 'ef', '', '']);
  expect(await terminal.cursor()).toEqual({ column: 2, row: 1 });
});

test('`erasedByRows` changes no other text', () => {
  expect(erasedByRows('\u001b[2K a \u001b[1J', 4)).toBe('\u001b[2K a \u001b[1J');
});
