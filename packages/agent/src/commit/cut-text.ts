// Where a text is cut: between lines; inside a line only where that line alone is more than may be shown, and then
// between graphemes. Pure.

import { graphemeAt } from '@tidemark/model';
import type { OutputLimits } from './output-limits.ts';

/** The part that is kept, and what it is counted in. */
export interface TextPiece {
  readonly text: string;
  /** `lines`: they are whole. */
  readonly unit: 'lines' | 'bytes';
}

/** The longest beginning within the limits. */
export function headOf(text: string, limits: OutputLimits): TextPiece {
  let end = 0;
  let bytes = 0;
  for (let lines = 0; lines < limits.lines && end < text.length; lines += 1) {
    const newline = text.indexOf('\n', end);
    const next = newline === -1 ? text.length : newline + 1;
    const size = Buffer.byteLength(text.slice(end, next));
    if (bytes + size > limits.bytes) {
      if (size <= limits.bytes) break;
      return { text: text.slice(0, beginning(text, end, limits.bytes - bytes)), unit: 'bytes' };
    }
    bytes += size;
    end = next;
  }
  return { text: text.slice(0, end), unit: 'lines' };
}

/** The longest end within the limits. */
export function tailOf(text: string, limits: OutputLimits): TextPiece {
  let start = text.length;
  let bytes = 0;
  for (let lines = 0; lines < limits.lines && start > 0; lines += 1) {
    const next = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    const size = Buffer.byteLength(text.slice(next, start));
    if (bytes + size > limits.bytes) {
      if (size <= limits.bytes) break;
      return { text: text.slice(ending(text, start, limits.bytes - bytes)), unit: 'bytes' };
    }
    bytes += size;
    start = next;
  }
  return { text: text.slice(start), unit: 'lines' };
}

/** The last place behind `from` with no more than so many bytes between, where no grapheme is halved. */
function beginning(text: string, from: number, bytes: number): number {
  let at = from;
  for (let room = bytes; at < text.length;) {
    room -= sizeAt(text, at);
    if (room < 0) break;
    at += unitsAt(text, at);
  }
  return Math.max(from, graphemeAt(text, at)?.index ?? at);
}

/** The first place before `to` with no more than so many bytes between, where no grapheme is halved. */
function ending(text: string, to: number, bytes: number): number {
  let at = to;
  for (let room = bytes; at > 0;) {
    const before = at - (isLow(text.charCodeAt(at - 1)) ? 2 : 1);
    room -= sizeAt(text, before);
    if (room < 0) break;
    at = before;
  }
  const cut = graphemeAt(text, at);
  return Math.min(to, cut === undefined || cut.index === at ? at : cut.index + cut.segment.length);
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function sizeAt(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code <= 0xffff ? 3 : 4;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
