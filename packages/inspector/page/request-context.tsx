// Blocks of a request in order, folded by layer and turn, and the text of the selected one.

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { textOf } from './connection.ts';
import type { BlockGroup, RequestStore, ShownBlock, ShownRequest } from './request-data.ts';
import { contentKind, grouped, groupsOf } from './request-data.ts';
import { linkTo } from './route.ts';
import { VirtualRows } from './virtual-rows.tsx';

type ContextRow =
  | { readonly type: 'group'; readonly group: BlockGroup }
  | { readonly type: 'block'; readonly block: ShownBlock; readonly index: number };

interface RequestContextProps {
  readonly request: ShownRequest;
  readonly store: RequestStore;
  /** Selected block. -1 for none. */
  readonly selected: Signal<number>;
  /** Blocks to mark, such as those that contain a searched text. */
  readonly marked?: ReadonlySet<number>;
}

/** Shows the blocks of a request and the text of the selected one. */
export function RequestContext({ request, store, selected, marked }: RequestContextProps) {
  const folded = useSignal<ReadonlySet<string>>(new Set(['Tools', 'System text']));
  const rows = contextRows(request, folded.value, selected.value);
  const active = rows.findIndex((row) => row.type === 'block' && row.index === selected.value);
  const present = useSignal(-1);
  const select = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    present.value = index;
    if (row.type === 'block') {
      selected.value = row.index;
      return;
    }
    selected.value = -1;
    const rest = new Set(folded.value);
    if (!rest.delete(row.group.title)) rest.add(row.group.title);
    folded.value = rest;
  };
  const shared = request.previous?.shared ?? 0;
  return (
    <div class="context">
      <VirtualRows
        label="Blocks of the request"
        count={rows.length}
        rowHeight={28}
        active={active === -1 ? present.value : active}
        onSelect={select}
        row={(index) => {
          const row = rows[index];
          if (row === undefined) return [];
          if (row.type === 'group') return [<GroupRow group={row.group} open={!folded.value.has(row.group.title)} />];
          return [<BlockRow {...row} added={row.index >= shared} marked={marked?.has(row.index) === true} />];
        }}
      />
      <BlockPanel request={request} store={store} selected={selected} />
    </div>
  );
}

function contextRows({ blocks }: ShownRequest, folded: ReadonlySet<string>, selected: number): readonly ContextRow[] {
  return groupsOf(blocks).flatMap((group): readonly ContextRow[] => {
    const head: ContextRow = { type: 'group', group };
    const isOpen = !folded.has(group.title) || (selected >= group.start && selected < group.end);
    if (!isOpen) return [head];
    const own = blocks.slice(group.start, group.end);
    return [head, ...own.map((block, index): ContextRow => ({ type: 'block', block, index: group.start + index }))];
  });
}

function GroupRow({ group, open }: { readonly group: BlockGroup; readonly open: boolean }) {
  const { title, start, end, tokens } = group;
  return (
    <span class="group-row">
      <span aria-hidden="true">{open ? '▾' : '▸'}</span> <strong>{title}</strong>
      <span class="soft count">
        {end - start === 1 ? '1 block' : `${grouped(end - start)} blocks`} · {grouped(tokens)} tokens
      </span>
    </span>
  );
}

interface BlockRowProps {
  readonly block: ShownBlock;
  readonly index: number;
  readonly added: boolean;
  readonly marked: boolean;
}

function BlockRow({ block, index, added, marked }: BlockRowProps) {
  const { role, holds, layer, begins, tokens } = block;
  return (
    <span class="block-row">
      <span class={`swatch ${contentKind(block)}`} aria-hidden="true" />
      <span class="soft number">{index}</span>
      <span class="what">{layer ?? `${role} ${holds}`}</span>
      {added && <span class="tag">new</span>}
      {marked && <span class="tag">found</span>}
      <span class="begins">{begins}</span>
      <span class="soft count">{grouped(tokens)}</span>
    </span>
  );
}

/** Shows the selected block: its origin, its sizes, and its whole text. */
function BlockPanel({ request, store, selected }: Omit<RequestContextProps, 'marked'>) {
  const text = useSignal<readonly string[]>([]);
  const problem = useSignal('');
  const index = selected.value;
  useEffect(() => {
    text.value = [];
    problem.value = '';
    if (index < 0 || index >= request.total) return undefined;
    let wanted = true;
    store.text(request.position, index).then(
      (found) => {
        if (wanted) text.value = linesOf(found);
      },
      (error: unknown) => {
        if (wanted) problem.value = textOf(error);
      },
    );
    return () => {
      wanted = false;
    };
  }, [store, request.position, index]);
  const block = request.blocks[index];
  if (block === undefined) return <p class="soft panel">Select a block to see its text and its origin.</p>;
  const lines = text.value;
  return (
    <section class="panel" aria-label="Selected block" aria-live="polite">
      <h2>
        Block {index}: {block.layer ?? `${block.role} ${block.holds}`}
      </h2>
      <p>
        <BlockOrigin session={request.session} block={block} /> · {grouped(block.tokens)} tokens (estimated) ·{' '}
        {grouped(block.bytes)} bytes
      </p>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      <VirtualRows label="Text of the block" count={lines.length} rowHeight={20} row={(at) => [lines[at]]} />
    </section>
  );
}

function BlockOrigin({ session, block }: { readonly session: string; readonly block: ShownBlock }) {
  const { layer, record, kind, at } = block;
  if (record === undefined) return <>Layer {layer} of the prompt contract</>;
  return (
    <>
      From <a href={linkTo(['sessions', session], { record: String(record) })}>record {record}</a>
      {kind !== undefined && (
        <>
          {' '}
          (<code>{kind}</code>, {at.slice(0, 19).replace('T', ' ')})
        </>
      )}
    </>
  );
}

/** Longest line of the list, in characters. Longer lines continue in the next row. */
const LONGEST_LINE = 76;

function linesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const parts: string[] = [];
    let start = 0;
    while (line.length - start > LONGEST_LINE) {
      // A word is cut only if it is long.
      const space = line.lastIndexOf(' ', start + LONGEST_LINE - 1);
      const end = space > start + LONGEST_LINE / 2 ? space + 1 : start + LONGEST_LINE;
      parts.push(line.slice(start, end));
      start = end;
    }
    return [...parts, line.slice(start)];
  });
}
