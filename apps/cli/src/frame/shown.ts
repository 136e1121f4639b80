// Text on its way to a person. Content and style stay apart until the last moment, so that an escape in the output is
// always one of ours and never one that a model or a tool wrote.

import { styleText } from 'node:util';

import { plainText } from './plain-text.ts';

/** The styles in use. They carry no meaning alone: everything reads the same without them. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** A piece with a style. */
export interface Styled {
  readonly style: Style;
  readonly text: string;
}

/** Something to show: text, styled text, or a sequence of both. */
export type Shown = string | Styled | readonly Shown[];

/** Text in a style, where the terminal has colours. */
export function withStyle(style: Style, text: string): Styled {
  return { style, text };
}

/** What goes to the screen: stripped of foreign escapes, with our own where `colour` is set. */
export function render(shown: Shown, colour: boolean): string {
  if (typeof shown === 'string') return plainText(shown);
  if ('style' in shown) {
    const text = plainText(shown.text);
    return colour ? styleText(shown.style, text, { validateStream: false }) : text;
  }
  return shown.map((part) => render(part, colour)).join('');
}
