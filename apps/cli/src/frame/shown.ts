// Text for people, with its styles. Content and style stay separate until the text is printed. Therefore every escape
// sequence in the output comes from Tidemark, and never from a model or a tool.

import { styleText } from 'node:util';

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

/** Returns the text for the screen. Escape sequences in the text are removed. Styles are applied if `colour` is set. */
export function render(shown: Shown, colour: boolean): string {
  if (typeof shown === 'string') return plainText(shown);
  if ('style' in shown) {
    const text = plainText(shown.text);
    return colour ? styleText(shown.style, text, { validateStream: false }) : text;
  }
  return shown.map((part) => render(part, colour)).join('');
}
