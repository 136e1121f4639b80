// Text for people, with its styles. Content and style stay separate until the text is printed. Therefore every escape
// sequence in the output comes from Tidemark, and never from a model or a tool.

import { styleText } from 'node:util';

import { asciiText } from './ascii-text.ts';
import { plainText } from './plain-text.ts';

/** Available styles. All output can be understood without styles. */
export type Style = 'bold' | 'dim' | 'italic' | 'underline' | 'red' | 'green' | 'yellow' | 'cyan';

/** Piece of text with a style. */
export interface Styled {
  readonly style: Style;
  readonly text: string;
}

/** Text to display: plain text, styled text, or a sequence of both. */
export type Shown = string | Styled | readonly Shown[];

/** Returns text with a style. The style is applied if the terminal has colours. */
export function withStyle(style: Style, text: string): Styled {
  return { style, text };
}

/**
 * Look of the text on a terminal: true for colours, false for none. `light` uses colours that can be read on a light
 * background. With `ascii`, the signs of Tidemark are ASCII.
 */
export type Look = boolean | { readonly colours: 'none' | 'dark' | 'light'; readonly ascii: boolean };

/** Colours in place of those that are too pale on a light background. */
const ON_LIGHT: ReadonlyMap<Style, 'magenta' | 'blue'> = new Map([
  ['yellow', 'magenta'],
  ['cyan', 'blue'],
]);

/** Returns the text for the screen. Escape sequences in the text are removed. Styles are applied if there are colours. */
export function render(shown: Shown, look: Look): string {
  if (typeof shown === 'string') return signsOf(plainText(shown), look);
  if (!('style' in shown)) return shown.map((part) => render(part, look)).join('');
  const text = signsOf(plainText(shown.text), look);
  const colours = typeof look === 'object' ? look.colours : look ? 'dark' : 'none';
  if (colours === 'none') return text;
  const style = colours === 'light' ? (ON_LIGHT.get(shown.style) ?? shown.style) : shown.style;
  return styleText(style, text, { validateStream: false });
}

function signsOf(text: string, look: Look): string {
  return typeof look === 'object' && look.ascii ? asciiText(text) : text;
}
