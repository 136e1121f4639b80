// Rows of one height, any number of them: a table with a head, a list with a selection, or lines of text. Only the
// visible rows are in the document. The arrow keys, Page Up, Page Down, Home and End move the selection.

import { useSignal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';

/** Height of the head of a table, which stays at the top, in pixels. */
const HEAD = 36;

interface RowsProps {
  /** Name of the rows for a screen reader. */
  readonly label: string;
  readonly count: number;
  /** Height of a row in pixels. */
  readonly rowHeight: number;
  /** Returns the cells of a row. A row of a list, or a line, is one cell. */
  readonly row: (index: number) => readonly ComponentChildren[];
  /** Names of the columns, and the class that sets their widths. Absent for a list. */
  readonly table?: { readonly head: readonly string[]; readonly columns: string };
  /** Selected row. It is scrolled into view. -1 for none. */
  readonly active?: number;
  /** Selects a row. Absent for lines without a selection. */
  readonly onSelect?: (index: number) => void;
  /** Opens a row, after a click or Enter. */
  readonly onOpen?: (index: number) => void;
}

/** Shows rows of one height. */
export function VirtualRows(props: RowsProps) {
  const { label, count, rowHeight, table, active = -1, onSelect, onOpen } = props;
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtualizer = useVirtualizer(box, { count, rowHeight, head: table === undefined ? 0 : HEAD });
  useEffect(() => {
    if (active >= 0) virtualizer.scrollToIndex(active);
  }, [active]);
  const press = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 1);
    const to = placeAfter(event.key, { active, page, count });
    if (to !== undefined && onSelect !== undefined && count > 0) onSelect(Math.max(0, Math.min(count - 1, to)));
    else if (event.key === 'Enter' && event.target === event.currentTarget && active >= 0) onOpen?.(active);
    else return;
    event.preventDefault();
  };
  const role = table !== undefined ? 'grid' : onSelect === undefined ? 'region' : 'listbox';
  return (
    <div
      ref={box}
      class={table === undefined ? 'rows list-rows' : `rows table-rows ${table.columns}`}
      role={role}
      tabIndex={0}
      aria-label={label}
      {...(table !== undefined && { 'aria-rowcount': count + 1 })}
      {...(active >= 0 && onSelect !== undefined && { 'aria-activedescendant': `${id}-${active}` })}
      onKeyDown={press}
    >
      {table !== undefined && <TableHead names={table.head} />}
      <div {...(table !== undefined && { role: 'rowgroup' })}>
        <div class="space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
          {virtualizer.getVirtualItems().map(({ index }) => (
            <VisibleRow key={index} {...props} id={`${id}-${index}`} index={index} selected={index === active} />
          ))}
        </div>
      </div>
    </div>
  );
}

function TableHead({ names }: { readonly names: readonly string[] }) {
  return (
    <div role="row" class="head" aria-rowindex={1}>
      {names.map((name) => (
        <span key={name} role="columnheader">
          {name}
        </span>
      ))}
    </div>
  );
}

type VisibleRowProps = RowsProps & { readonly id: string; readonly index: number; readonly selected: boolean };

function VisibleRow({ id, index, selected, count, rowHeight, row, table, onSelect, onOpen }: VisibleRowProps) {
  const option = {
    role: 'option' as const,
    'aria-selected': selected,
    'aria-posinset': index + 1,
    'aria-setsize': count,
  };
  const cells = row(index);
  return (
    <div
      id={id}
      class={selected ? 'row active' : 'row'}
      style={{ height: `${rowHeight}px`, transform: `translateY(${index * rowHeight}px)` }}
      onClick={() => {
        onSelect?.(index);
        onOpen?.(index);
      }}
      {...(table !== undefined
        ? { role: 'row' as const, 'aria-rowindex': index + 2 }
        : onSelect !== undefined && option)}
    >
      {table === undefined
        ? cells
        : cells.map((cell, column) => (
            <span key={column} role="gridcell">
              {cell}
            </span>
          ))}
    </div>
  );
}

interface RowSizes {
  readonly count: number;
  readonly rowHeight: number;
  readonly head: number;
}

function useVirtualizer(
  box: { readonly current: HTMLDivElement | null },
  { count, rowHeight, head }: RowSizes,
): Virtualizer<HTMLDivElement, HTMLDivElement> {
  const painted = useSignal(0);
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: head,
    scrollPaddingStart: head,
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

interface RowPlace {
  readonly active: number;
  /** Rows that Page Up and Page Down move. */
  readonly page: number;
  readonly count: number;
}

function placeAfter(key: string, { active, page, count }: RowPlace): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return active + 1;
    case 'ArrowUp':
      return active - 1;
    case 'PageDown':
      return active + page;
    case 'PageUp':
      return active - page;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
