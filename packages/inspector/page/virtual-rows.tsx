// Table of any number of rows of one height. Only the visible rows are in the document. The arrow keys move through all
// rows, and Enter opens one.

import { useSignal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';

/** Height of the head, which stays at the top, in pixels. */
const HEAD = 36;

interface RowTable {
  /** Name of the table for a screen reader. */
  readonly label: string;
  readonly head: readonly string[];
  /** Class that sets the widths of the columns. */
  readonly columns: string;
  readonly count: number;
  readonly rowHeight: number;
  /** Returns the cells of a row. */
  readonly row: (index: number) => readonly ComponentChildren[];
  readonly open: (index: number) => void;
}

/** Shows a table of rows of one height. */
export function VirtualRows({ label, head, columns, count, rowHeight, row, open }: RowTable) {
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  const active = useSignal(0);
  const virtualizer = useVirtualizer(place, count, rowHeight);
  const move = (event: KeyboardEvent): void => {
    const next = placeAfter(event.key, active.value, count);
    if (next !== undefined) {
      active.value = next;
      virtualizer.scrollToIndex(next);
    } else if (event.key === 'Enter' && event.target === event.currentTarget) open(active.value);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={place}
      class={`rows ${columns}`}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      tabIndex={0}
      aria-activedescendant={`${id}-${active.value}`}
      onKeyDown={move}
    >
      <div role="row" class="head" aria-rowindex={1}>
        {head.map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      <div role="rowgroup">
        <div class="space" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              class={index === active.value ? 'active' : ''}
              style={{ height: `${rowHeight}px`, transform: `translateY(${start - HEAD}px)` }}
              onClick={() => {
                active.value = index;
                open(index);
              }}
            >
              {row(index).map((cell, column) => (
                <span key={column} role="gridcell">
                  {cell}
                </span>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function useVirtualizer(
  place: { readonly current: HTMLDivElement | null },
  count: number,
  rowHeight: number,
): Virtualizer<HTMLDivElement, HTMLDivElement> {
  const painted = useSignal(0);
  const options = {
    count,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => {
      painted.value += 1;
    },
  };
  const virtualizer = useMemo(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options), []);
  virtualizer.setOptions(options);
  // Reading the signal paints the component again after each change.
  void painted.value;
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}

/** Rows that Page Up and Page Down move. */
const PAGE = 20;

function placeAfter(key: string, place: number, count: number): number | undefined {
  const within = (next: number): number => Math.max(0, Math.min(count - 1, next));
  switch (key) {
    case 'ArrowDown':
      return within(place + 1);
    case 'ArrowUp':
      return within(place - 1);
    case 'PageDown':
      return within(place + PAGE);
    case 'PageUp':
      return within(place - PAGE);
    case 'Home':
      return 0;
    case 'End':
      return within(count - 1);
    default:
      return undefined;
  }
}
