// Paints the visible part of the timeline on a canvas. Each part of a bar has a colour and a pattern, so it can be read
// without colours.

import { billionths, count } from './format.ts';
import { roundValues } from './round-values.ts';
import type { BarScale, BucketTokens, StreamTimeline, TimelineCall } from './timeline-calls.ts';
import { isExpired, isLongPause, markText, pauseText, sumOf } from './timeline-calls.ts';

/** Width of the scale at the left, in pixels. */
export const GUTTER = 64;
const [TOP, BOTTOM] = [40, 44];
/** Share of the space of a call that its bar fills. */
const FILLED = 0.8;

/** Parts of a bar, from the bottom. `held` and `again` are the parts of the cost. */
export type BarPart = keyof BucketTokens | 'held' | 'again';

/** Fill styles of the parts, and colours of the rest. */
export interface TimelineTheme {
  readonly parts: Readonly<Record<BarPart, CanvasPattern | string>>;
  readonly ink: string;
  readonly soft: string;
  readonly paper: string;
  readonly band: string;
  readonly line: string;
  readonly mark: string;
  readonly bad: string;
  readonly accent: string;
}

/** State that a painting shows. */
export interface TimelineFrame {
  readonly stream: StreamTimeline;
  readonly scale: BarScale;
  /** Pixels of one call. */
  readonly step: number;
  /** Pixels that are scrolled away at the left. */
  readonly scrolled: number;
  readonly width: number;
  readonly height: number;
  readonly selected: number;
}

const PATTERNS: Readonly<Record<BarPart, 'solid' | 'diagonal' | 'dots' | 'rows' | 'cross'>> = {
  read: 'solid',
  written: 'diagonal',
  fresh: 'dots',
  untold: 'cross',
  output: 'rows',
  held: 'solid',
  again: 'cross',
};

/** Reads the colours of the page and makes the patterns. */
export function readTheme(context: CanvasRenderingContext2D): TimelineTheme {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const paper = color('paper');
  const part = (name: BarPart, ink: string) => patternOf(context, PATTERNS[name], { ink: color(ink), paper });
  return {
    parts: {
      read: part('read', 'read'),
      written: part('written', 'written'),
      fresh: part('fresh', 'fresh'),
      untold: part('untold', 'soft'),
      output: part('output', 'output'),
      held: part('held', 'read'),
      again: part('again', 'bad'),
    },
    paper,
    ink: color('ink'),
    soft: color('soft'),
    band: color('card'),
    line: color('line'),
    mark: color('mark'),
    bad: color('bad'),
    accent: color('accent'),
  };
}

function patternOf(
  context: CanvasRenderingContext2D,
  kind: (typeof PATTERNS)[BarPart],
  { ink, paper }: { readonly ink: string; readonly paper: string },
): CanvasPattern | string {
  if (kind === 'solid') return ink;
  const tile = document.createElement('canvas');
  tile.width = 6;
  tile.height = 6;
  const brush = tile.getContext('2d');
  if (brush === null) return ink;
  brush.fillStyle = kind === 'dots' ? paper : ink;
  brush.fillRect(0, 0, 6, 6);
  brush.fillStyle = kind === 'dots' ? ink : paper;
  brush.strokeStyle = paper;
  brush.lineWidth = 1.5;
  if (kind === 'dots') {
    brush.fillRect(0, 0, 3, 3);
    brush.fillRect(3, 3, 3, 3);
  } else if (kind === 'rows') brush.fillRect(0, 0, 6, 2);
  else {
    const lines =
      kind === 'cross' ? ['M-1 1L1 -1M0 6L6 0M5 7L7 5', 'M-1 5L1 7M0 0L6 6M5 -1L7 1'] : ['M-1 1L1 -1M0 6L6 0M5 7L7 5'];
    for (const line of lines) brush.stroke(new Path2D(line));
  }
  return context.createPattern(tile, 'repeat') ?? ink;
}

/** Paints the visible part. */
export function paintTimeline(context: CanvasRenderingContext2D, frame: TimelineFrame, theme: TimelineTheme): void {
  const { stream, step, scrolled, width, height } = frame;
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, width, height);
  const first = Math.max(0, Math.floor(scrolled / step) - 1);
  const visible = stream.calls.slice(first, first + Math.ceil((width - GUTTER) / step) + 3);
  paintBands(context, { ...frame, visible }, theme);
  paintGrid(context, frame, theme);
  for (const call of visible) paintCall(context, frame, { call, theme });
  paintLabels(context, { ...frame, visible }, theme);
  paintGutter(context, frame, theme);
}

interface VisibleFrame extends TimelineFrame {
  readonly visible: readonly TimelineCall[];
}

function leftOf({ step, scrolled }: TimelineFrame, place: number): number {
  return GUTTER + place * step - scrolled;
}

function paintBands(context: CanvasRenderingContext2D, frame: VisibleFrame, theme: TimelineTheme): void {
  for (const { place, epoch } of frame.visible) {
    if (epoch % 2 === 1) continue;
    context.fillStyle = theme.band;
    // One pixel more, so that no gap is between two calls.
    context.fillRect(leftOf(frame, place), 0, frame.step + 1, frame.height - BOTTOM);
  }
}

function paintGrid(context: CanvasRenderingContext2D, frame: TimelineFrame, theme: TimelineTheme): void {
  context.strokeStyle = theme.line;
  context.lineWidth = 1;
  for (const value of roundValues(frame.stream.largest[frame.scale])) {
    const y = Math.round(heightOf(frame, value)) + 0.5;
    context.beginPath();
    context.moveTo(GUTTER, y);
    context.lineTo(frame.width, y);
    context.stroke();
  }
}

function heightOf({ stream, scale, height }: TimelineFrame, value: number): number {
  const bottom = height - BOTTOM;
  return bottom - (value / stream.largest[scale]) * (bottom - TOP);
}

interface PaintedCall {
  readonly call: TimelineCall;
  readonly theme: TimelineTheme;
}

function paintCall(context: CanvasRenderingContext2D, frame: TimelineFrame, { call, theme }: PaintedCall): void {
  const left = leftOf(frame, call.place);
  if (call.place === frame.selected) paintSelection(context, frame, { call, theme });
  // With enough space, the forecast is a narrow bar at the left of the actual one.
  const isWide = frame.step >= 12 && call.forecast !== null && frame.scale === 'tokens';
  const width = Math.max(1, frame.step * FILLED);
  const side = isWide ? width * 0.3 : 0;
  paintStack(context, frame, { left: left + side, width: width - side, parts: partsOf(frame.scale, call), theme });
  if (frame.scale === 'cost') paintTick(context, frame, { left, width, value: call.forecastCost, theme });
  else if (call.forecast !== null) {
    const { read, written, fresh } = call.forecast;
    if (isWide)
      paintStack(context, frame, {
        left,
        width: side - 1,
        parts: [
          ['read', read],
          ['written', written],
          ['fresh', fresh],
        ],
        theme,
      });
    else paintTick(context, frame, { left, width, value: read + written + fresh, theme });
  }
  if (frame.scale === 'cost' ? call.paid === null : sumOf(call.tokens) === 0) {
    context.fillStyle = theme.soft;
    context.textAlign = 'center';
    if (frame.step >= 8) context.fillText('?', left + width / 2, frame.height - BOTTOM - 4);
  }
}

function partsOf(scale: BarScale, { tokens, paid, lost }: TimelineCall): readonly (readonly [BarPart, number])[] {
  if (scale === 'cost')
    return [
      ['held', (paid ?? 0) - (lost ?? 0)],
      ['again', lost ?? 0],
    ];
  const { read, written, fresh, untold, output } = tokens;
  return [
    ['read', read],
    ['written', written],
    ['fresh', fresh],
    ['untold', untold],
    ['output', output],
  ];
}

interface Stack {
  readonly left: number;
  readonly width: number;
  readonly parts: readonly (readonly [BarPart, number])[];
  readonly theme: TimelineTheme;
}

function paintStack(
  context: CanvasRenderingContext2D,
  frame: TimelineFrame,
  { left, width, parts, theme }: Stack,
): void {
  let below = 0;
  for (const [part, value] of parts) {
    if (value <= 0) continue;
    const top = heightOf(frame, below + value);
    context.fillStyle = theme.parts[part];
    // A small part stays visible.
    context.fillRect(left, top, width, Math.max(1, heightOf(frame, below) - top));
    below += value;
  }
}

interface Tick {
  readonly left: number;
  readonly width: number;
  readonly value: number | null;
  readonly theme: TimelineTheme;
}

function paintTick(context: CanvasRenderingContext2D, frame: TimelineFrame, { left, width, value, theme }: Tick): void {
  if (value === null) return;
  const y = Math.round(heightOf(frame, value));
  context.fillStyle = theme.paper;
  context.fillRect(left, y - 2, width, 4);
  context.fillStyle = theme.ink;
  context.fillRect(left, y - 1, width, 2);
}

function paintSelection(context: CanvasRenderingContext2D, frame: TimelineFrame, { call, theme }: PaintedCall): void {
  const left = leftOf(frame, call.place);
  context.strokeStyle = theme.accent;
  context.lineWidth = 2;
  context.strokeRect(left - 2, 1, frame.step * FILLED + 4, frame.height - BOTTOM + 1);
}

/** Paints the marks of breaks, the causes of epochs, the steps, and the pauses. */
function paintLabels(context: CanvasRenderingContext2D, frame: VisibleFrame, theme: TimelineTheme): void {
  const base = frame.height - BOTTOM;
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((one) => one * frame.step >= 44) ?? 1_000;
  // A text without space is left out. The list of breaks contains it.
  const free = { causes: 0, steps: 0, pauses: 0 };
  for (const call of frame.visible) {
    const left = leftOf(frame, call.place);
    const middle = left + (frame.step * FILLED) / 2;
    if (call.isBreak) {
      paintMark(context, { middle, isMiss: call.cause !== null }, theme);
      free.causes = paintCause(context, frame, { call, theme, free: free.causes });
    }
    if (call.place % every === 0)
      free.steps = paintText(context, String(call.step), {
        x: left,
        y: base + 14,
        color: theme.soft,
        free: free.steps,
        end: frame.width,
      });
    if (isLongPause(call)) {
      context.fillStyle = isExpired(call) ? theme.bad : theme.soft;
      context.fillRect(left - frame.step * (1 - FILLED), base + 1, 2, 22);
      free.pauses = paintText(context, pauseText(call), {
        x: left,
        y: base + 32,
        color: theme.ink,
        free: free.pauses,
        end: frame.width,
      });
    }
  }
}

/** Paints the cause of a break above its mark, or next to the mark if the text before needs the space. */
function paintCause(
  context: CanvasRenderingContext2D,
  frame: VisibleFrame,
  { call, theme, free }: PaintedCall & { readonly free: number },
): number {
  const text = markText(call);
  const left = leftOf(frame, call.place);
  if (left >= free) return paintText(context, text, { x: left, y: 12, color: theme.ink, free, end: frame.width });
  const next = frame.stream.breaks.find((one) => one > call.place);
  const end = Math.min(frame.width, next === undefined ? frame.width : leftOf(frame, next));
  const x = left + (frame.step * FILLED) / 2 + 10;
  paintText(context, text, { x, y: 29, color: theme.ink, free: x, end });
  return free;
}

/** Paints a triangle for a miss, and a diamond for a new epoch without a miss. */
function paintMark(
  context: CanvasRenderingContext2D,
  { middle, isMiss }: { readonly middle: number; readonly isMiss: boolean },
  theme: TimelineTheme,
): void {
  context.fillStyle = isMiss ? theme.bad : theme.mark;
  context.beginPath();
  if (isMiss) context.moveTo(middle - 6, 19);
  else context.moveTo(middle, 18);
  context.lineTo(middle + 6, isMiss ? 19 : 24);
  context.lineTo(middle, 30);
  if (!isMiss) context.lineTo(middle - 6, 24);
  context.fill();
}

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly color: string;
  /** Right edge of the text before. A text that would begin before it is left out. */
  readonly free: number;
  /** Right edge of the chart. A text that would pass it is moved to the left. */
  readonly end: number;
}

/** Paints a text if there is space, and returns the first free place. */
function paintText(context: CanvasRenderingContext2D, text: string, { x, y, color, free, end }: TextPlace): number {
  const { width } = context.measureText(text);
  const left = Math.min(x, end - width - 4);
  if (left < free) return free;
  context.fillStyle = color;
  context.textAlign = 'left';
  context.fillText(text, left, y);
  return left + width + 10;
}

function paintGutter(context: CanvasRenderingContext2D, frame: TimelineFrame, theme: TimelineTheme): void {
  const { height, scale } = frame;
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, GUTTER - 4, height);
  context.fillStyle = theme.soft;
  context.textAlign = 'right';
  for (const value of roundValues(frame.stream.largest[frame.scale]))
    context.fillText(scale === 'cost' ? billionths(value) : compact(value), GUTTER - 10, heightOf(frame, value) + 4);
  context.fillText('step', GUTTER - 10, height - BOTTOM + 14);
  context.fillText('pause', GUTTER - 10, height - BOTTOM + 32);
}

function compact(value: number): string {
  return value >= 1_000_000 ? `${value / 1_000_000}M` : value >= 1_000 ? `${value / 1_000}k` : count(value);
}
