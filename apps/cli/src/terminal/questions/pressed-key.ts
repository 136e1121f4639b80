// Translates a key of Ink into a key of a panel.

import type { Key } from 'ink';

import type { PressedKey } from './answer-keys.ts';

/**
 * Returns the pressed key, or `undefined` for a key that has no meaning in a panel. Several characters at once come
 * from a paste. They count only in a line of text, so that a paste cannot answer a question.
 */
export function pressedKey(input: string, key: Key, inLine: boolean): PressedKey | undefined {
  const name = nameOf(key);
  if (name !== undefined) return { input: '', name };
  if (key.ctrl || key.meta || key.tab || input === '') return undefined;
  return inLine || Array.from(input).length === 1 ? { input } : undefined;
}

function nameOf(key: Key): PressedKey['name'] {
  if (key.return) return 'enter';
  if (key.escape) return 'escape';
  if (key.backspace || key.delete) return 'backspace';
  if (key.home) return 'first';
  if (key.end) return 'last';
  if (key.pageDown || key.downArrow) return 'next';
  return key.pageUp || key.upArrow ? 'previous' : undefined;
}
