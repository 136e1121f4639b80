// List of rows of the same height, of which only the visible ones are in the page.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface FixedRowsProps {
  readonly label: string;
  readonly count: number;
  /** Height of a row in pixels. */
  readonly rowHeight: number;
  /** Row that is selected. It is scrolled into view. -1 for none. */
  readonly active: number;
  readonly row: (index: number) => ComponentChildren;
  /** Selects a row by key or click. Absent for a list without a selection. */
  readonly onSelect?: (index: number) => void;
}

const BEYOND = 8;

/** Shows rows of the same height. Arrow keys, Page Up, Page Down, Home and End move the selection. */
export function FixedRows({ label, count, rowHeight, active, row, onSelect }: FixedRowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    if (element === null || active < 0) return;
    const [start, end] = [active * rowHeight, (active + 1) * rowHeight];
    if (start < element.scrollTop) element.scrollTop = start;
    else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight;
  }, [active, rowHeight, count]);
  const first = Math.max(0, Math.floor(top.value / rowHeight) - BEYOND);
  const last = Math.min(count, Math.ceil((top.value + height.value) / rowHeight) + BEYOND);
  const move = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(height.value / rowHeight) - 1);
    const to = targetOf(event.key, { active, page, count });
    if (to === undefined || onSelect === undefined || count === 0) return;
    event.preventDefault();
    onSelect(Math.min(count - 1, Math.max(0, to)));
  };
  return (
    <div
      ref={box}
      class="rows"
      tabIndex={0}
      role={onSelect === undefined ? 'region' : 'listbox'}
      aria-label={label}
      {...(onSelect !== undefined && active >= 0 && { 'aria-activedescendant': rowId(label, active) })}
      onKeyDown={move}
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
      }}
    >
      <div class="rows-whole" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {range(first, last).map((index) => (
          <FixedRow key={index} {...{ label, index, count, rowHeight, onSelect }} selected={index === active}>
            {row(index)}
          </FixedRow>
        ))}
      </div>
    </div>
  );
}

interface FixedRowProps {
  readonly label: string;
  readonly index: number;
  readonly count: number;
  readonly rowHeight: number;
  readonly selected: boolean;
  readonly onSelect: ((index: number) => void) | undefined;
  readonly children: ComponentChildren;
}

function FixedRow({ label, index, count, rowHeight, selected, onSelect, children }: FixedRowProps) {
  const option = onSelect !== undefined && {
    role: 'option' as const,
    'aria-selected': selected,
    'aria-posinset': index + 1,
    'aria-setsize': count,
  };
  return (
    <div
      id={rowId(label, index)}
      class={selected ? 'row active' : 'row'}
      style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
      onClick={() => onSelect?.(index)}
      {...option}
    >
      {children}
    </div>
  );
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
}

function rowId(label: string, index: number): string {
  return `${label.replaceAll(/\W+/g, '-')}-${index}`;
}

function targetOf(
  key: string,
  { active, page, count }: { readonly active: number; readonly page: number; readonly count: number },
): number | undefined {
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
