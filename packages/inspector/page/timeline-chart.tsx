// Chart of a timeline: a canvas that stays in place while a wide space scrolls. Only the visible calls are painted.

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { BarScale, StreamTimeline } from './timeline-calls.ts';
import { callText, nextBreak } from './timeline-calls.ts';
import type { TimelineTheme } from './timeline-paint.ts';
import { GUTTER, paintTimeline, readTheme } from './timeline-paint.ts';

const HEIGHT = 320;
/** Widths of a call, in pixels. */
const STEPS = [1, 2, 4, 8, 14, 22, 32] as const;
/** Calls that Page Up and Page Down move. */
const PAGE = 20;

interface ChartPlace {
  readonly stream: StreamTimeline;
  readonly scale: BarScale;
  readonly selected: Signal<number>;
  /** Opens the request of the selected call. */
  readonly open: () => void;
}

/** Shows the calls of a stream as bars, and moves the selection. */
export function TimelineChart({ stream, scale, selected, open }: ChartPlace) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const zoom = useSignal(firstZoom(stream.calls.length));
  const step = STEPS[zoom.value] ?? 1;
  usePainting({ scroller, canvas, frame: { stream, scale, step, selected: selected.value } });
  useLayoutEffect(() => {
    if (scroller.current !== null) showPlace(scroller.current, selected.value * step, step);
  }, [selected.value, step, stream]);
  const call = stream.calls[selected.value];
  const zoomBy = (change: number): void => {
    zoom.value = Math.max(0, Math.min(STEPS.length - 1, zoom.value + change));
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = placeAfter(event.key, stream, selected.value);
    if (next !== undefined) selected.value = next;
    else if (event.key === '+' || event.key === '=') zoomBy(1);
    else if (event.key === '-') zoomBy(-1);
    else if (event.key === 'Enter') open();
    else return;
    event.preventDefault();
  };
  const point = ({ clientX }: MouseEvent): void => {
    const box = scroller.current?.getBoundingClientRect();
    if (box === undefined || scroller.current === null) return;
    const place = Math.floor((clientX - box.left - GUTTER + scroller.current.scrollLeft) / step);
    if (clientX - box.left >= GUTTER && place >= 0 && place < stream.calls.length) selected.value = place;
  };
  return (
    <div
      ref={scroller}
      class="chart"
      role="slider"
      tabIndex={0}
      aria-label="Call"
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, stream.calls.length - 1)}
      aria-valuenow={selected.value}
      aria-valuetext={call === undefined ? 'no call' : callText(call, stream.begins)}
      onKeyDown={press}
      onClick={point}
      onDblClick={open}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <div class="space" style={{ width: `${GUTTER + stream.calls.length * step + 24}px` }} />
    </div>
  );
}

/** Returns the widest zoom at which all calls are visible, or one at which bars are wide enough to distinguish. */
function firstZoom(calls: number): number {
  const room = Math.min(innerWidth, 1_100) - GUTTER - 60;
  const fitting = STEPS.findLastIndex((step) => calls * step <= room);
  return Math.max(fitting, STEPS.indexOf(8));
}

function placeAfter(key: string, stream: StreamTimeline, place: number): number | undefined {
  const within = (next: number): number => Math.max(0, Math.min(stream.calls.length - 1, next));
  switch (key) {
    case 'ArrowRight':
    case 'ArrowUp':
      return within(place + 1);
    case 'ArrowLeft':
    case 'ArrowDown':
      return within(place - 1);
    case 'PageUp':
      return within(place + PAGE);
    case 'PageDown':
      return within(place - PAGE);
    case 'Home':
      return 0;
    case 'End':
      return within(stream.calls.length - 1);
    case 'b':
      return nextBreak(stream, place, 1);
    case 'B':
      return nextBreak(stream, place, -1);
    default:
      return undefined;
  }
}

/** Scrolls so that a call is visible. */
function showPlace(scroller: HTMLDivElement, left: number, step: number): void {
  const room = scroller.clientWidth - GUTTER;
  const margin = Math.min(room / 4, 120);
  if (left - margin < scroller.scrollLeft) scroller.scrollLeft = left - margin;
  else if (left + step + margin > scroller.scrollLeft + room) scroller.scrollLeft = left + step + margin - room;
}

interface Painting {
  readonly scroller: { readonly current: HTMLDivElement | null };
  readonly canvas: { readonly current: HTMLCanvasElement | null };
  readonly frame: {
    readonly stream: StreamTimeline;
    readonly scale: BarScale;
    readonly step: number;
    readonly selected: number;
  };
}

/** Paints the canvas once in a frame after a scroll, a change of the size, the theme, or the data. */
function usePainting({ scroller, canvas, frame }: Painting): void {
  const latest = useRef(frame);
  latest.current = frame;
  const asked = useRef<() => void>(() => undefined);
  useEffect(() => {
    const { current: place } = scroller;
    const { current: picture } = canvas;
    const context = picture?.getContext('2d', { alpha: false });
    if (place === null || picture === null || context === null || context === undefined) return undefined;
    let theme: TimelineTheme | undefined;
    let waiting: number | undefined;
    const paint = (): void => {
      waiting = undefined;
      const width = place.clientWidth;
      fitCanvas(picture, context, width);
      theme ??= readTheme(context);
      paintTimeline(context, { ...latest.current, scrolled: place.scrollLeft, width, height: HEIGHT }, theme);
    };
    const ask = (): void => {
      waiting ??= requestAnimationFrame(paint);
    };
    const repaint = (): void => {
      theme = undefined;
      ask();
    };
    asked.current = ask;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const sizes = new ResizeObserver(ask);
    sizes.observe(place);
    dark.addEventListener('change', repaint);
    place.addEventListener('scroll', ask, { passive: true });
    ask();
    return () => {
      sizes.disconnect();
      dark.removeEventListener('change', repaint);
      place.removeEventListener('scroll', ask);
      if (waiting !== undefined) cancelAnimationFrame(waiting);
    };
  }, []);
  useLayoutEffect(() => asked.current());
}

/** Gives the canvas the pixels of the screen. Setting the size empties a canvas, so it is set only if it changed. */
function fitCanvas(picture: HTMLCanvasElement, context: CanvasRenderingContext2D, width: number): void {
  const [wide, high] = [Math.round(width * devicePixelRatio), Math.round(HEIGHT * devicePixelRatio)];
  if (picture.width === wide && picture.height === high) return;
  picture.width = wide;
  picture.height = high;
  picture.style.width = `${width}px`;
  picture.style.height = `${HEIGHT}px`;
  context.scale(wide / width, high / HEIGHT);
  context.font = '12px system-ui, sans-serif';
}
