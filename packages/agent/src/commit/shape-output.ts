// What of an output the model is shown, and what is said of the rest (L6). Pure.

import type { Digest, Shaping } from '@tidemark/log';
import { headOf, tailOf } from './cut-text.ts';
import type { View } from './ends.ts';
import { linesIn } from './ends.ts';
import type { OutputLimits } from './output-limits.ts';

/** What holds for any output. */
export interface OutputShape {
  readonly limits: OutputLimits;
  /** Some bytes were no UTF-8. */
  readonly replaced: boolean;
}

/** What a cut says beside. */
export interface OutputCut extends OutputShape {
  readonly keeps: 'head' | 'tail';
  readonly digest: Digest;
  /** Most bytes that the artifact keeps. */
  readonly keep: number;
}

const REPLACED = '[Bytes that are no UTF-8 stand here as U+FFFD.]';
const PICTURED = '[Control characters stand here as their pictures: ␀ for NUL, ␛ for ESC.]';

/** C0 but for tab, line feed and carriage return, and DEL. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
const PICTURES = 0x24_00;
const DELETE = { code: 0x7f, picture: '\u2421' } as const;

/** The output with all that is said of it, where that fits; else it must be cut. */
export function wholeOutput(view: View, { limits, replaced }: OutputShape): string | undefined {
  if (view.bytes > limits.bytes || view.lines > limits.lines) return undefined;
  const whole = remarked(view.head, replaced);
  return Buffer.byteLength(whole) <= limits.bytes && linesIn(whole) <= limits.lines ? whole : undefined;
}

/** Returns the size of a text that is shown whole, with its control characters drawn and the notice of them. */
export function shownSize(text: string): OutputLimits {
  const shown = remarked(text, false);
  return { bytes: Buffer.byteLength(shown), lines: linesIn(shown) };
}

/** The end of the output that is kept, with a notice of what is left out and how to read on. */
export function cutOutput(view: View, cut: OutputCut): { readonly text: string; readonly shaping: Shaping } {
  const { keeps, limits, replaced } = cut;
  const source = keeps === 'head' ? view.head : view.tail;
  const shown = pictured(source);
  const said = remarks(shown !== source, replaced);
  // No notice is longer than that of all bytes; and a line break stands between it and the text.
  const reserved = `\n${joined([notice(view, cut, 'bytes', view.bytes), ...said])}`;
  const room = {
    bytes: Math.max(0, limits.bytes - Buffer.byteLength(reserved)),
    lines: Math.max(0, limits.lines - said.length - 1),
  };
  const piece = keeps === 'head' ? headOf(shown, room) : tailOf(shown, room);
  const { unit } = piece;
  const kept = unit === 'lines' ? linesIn(piece.text) : bytesOf(source, piece.text.length, keeps);
  const lines = [notice(view, cut, unit, kept), ...said];
  const text = joined(keeps === 'head' ? [piece.text, ...lines] : [...lines, piece.text]);
  return { text, shaping: { by: keeps, kept, total: unit === 'lines' ? view.lines : view.bytes, unit } };
}

function remarked(source: string, replaced: boolean): string {
  const text = pictured(source);
  return joined([text, ...remarks(text !== source, replaced)]);
}

function remarks(isPictured: boolean, isReplaced: boolean): readonly string[] {
  return [...(isReplaced ? [REPLACED] : []), ...(isPictured ? [PICTURED] : [])];
}

function notice(view: View, { keeps, digest, keep }: OutputCut, unit: 'lines' | 'bytes', kept: number): string {
  const side = keeps === 'head' ? 'first' : 'last';
  const where =
    view.bytes > keep
      ? `Its beginning and its end, ${keep} bytes together, are the output ${digest}`
      : `The whole is the output ${digest}`;
  const total = unit === 'lines' ? view.lines : view.bytes;
  return `[The output is cut here: the ${side} ${kept} of ${total} ${unit} are shown. ${where}: read on with output_read.]`;
}

/** A picture takes one place, as the character does: what is kept of one is kept of the other. */
function pictured(text: string): string {
  return text.replaceAll(CONTROL, (control) =>
    control.charCodeAt(0) === DELETE.code ? DELETE.picture : String.fromCharCode(PICTURES + control.charCodeAt(0)),
  );
}

function bytesOf(source: string, length: number, keeps: 'head' | 'tail'): number {
  return Buffer.byteLength(keeps === 'head' ? source.slice(0, length) : source.slice(source.length - length));
}

/** Each on lines of its own. */
function joined(texts: readonly string[]): string {
  let whole = '';
  for (const text of texts) {
    if (text === '') continue;
    whole += whole === '' || whole.endsWith('\n') ? text : `\n${text}`;
  }
  return whole;
}
