// Most expensive content of a request: what each block has cost in all requests that contained it.

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { textOf } from './connection.ts';
import type { RequestStore, ShownBlock, ShownCosts, ShownRequest } from './request-data.ts';
import { grouped } from './request-data.ts';

interface CostRow {
  readonly index: number;
  readonly block: ShownBlock;
  readonly cost: string | null;
  readonly requests: number;
  readonly unpriced: number;
}

type CostOrder = 'cost' | 'tokens' | 'requests' | 'index';

/** Rows that are added by the button. */
const PAGE = 25;

/** Shows the blocks with what they have cost, most expensive first. */
export function RequestCosts({
  request,
  store,
  selected,
}: {
  readonly request: ShownRequest;
  readonly store: RequestStore;
  readonly selected: Signal<number>;
}) {
  const costs = useSignal<ShownCosts | undefined>(undefined);
  const order = useSignal<CostOrder>('cost');
  const shown = useSignal(PAGE);
  const problem = useSignal('');
  useEffect(() => {
    store.costs(request.position).then(
      (found) => {
        costs.value = found;
      },
      (error: unknown) => {
        problem.value = textOf(error);
      },
    );
  }, [store, request.position]);
  const rows = sortedRows(request.blocks, costs.value, order.value);
  return (
    <section aria-label="Most expensive content">
      <h2>Most expensive content</h2>
      <p class="soft">
        The cost of a block is the sum over all requests of this session that contained it: its share of the counted
        tokens times the price of reading, writing or sending them fresh.
        {rows.some(({ unpriced }) => unpriced > 0) && ' Requests of unknown cost are not in the sums.'}
      </p>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      <div class="table-box">
        <table>
          <CostHead order={order} />
          <tbody>
            {rows.slice(0, shown.value).map((row) => (
              <CostRowView key={row.index} row={row} selected={selected} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.value < rows.length && (
        <button
          type="button"
          onClick={() => {
            shown.value += PAGE;
          }}
        >
          Show {Math.min(PAGE, rows.length - shown.value)} more of {grouped(rows.length)}
        </button>
      )}
    </section>
  );
}

function CostHead({ order }: { readonly order: Signal<CostOrder> }) {
  const names: readonly (readonly [CostOrder, string])[] = [
    ['cost', 'Cost in the session'],
    ['tokens', 'Tokens (estimated)'],
    ['requests', 'Requests'],
    ['index', 'Block'],
  ];
  return (
    <thead>
      <tr>
        {names.map(([name, text]) => (
          <th
            key={name}
            scope="col"
            aria-sort={order.value === name ? (name === 'index' ? 'ascending' : 'descending') : 'none'}
          >
            <button
              type="button"
              onClick={() => {
                order.value = name;
              }}
            >
              {text} <span aria-hidden="true">{order.value === name ? (name === 'index' ? '▴' : '▾') : ''}</span>
            </button>
          </th>
        ))}
        <th scope="col">Content</th>
      </tr>
    </thead>
  );
}

function CostRowView({ row, selected }: { readonly row: CostRow; readonly selected: Signal<number> }) {
  const { index, block, cost, requests, unpriced } = row;
  return (
    <tr>
      <td class="amount">{cost === null ? 'unknown' : `$${shortAmount(cost)}`}</td>
      <td class="amount">{grouped(block.tokens)}</td>
      <td class="amount">
        {grouped(requests)}
        {unpriced > 0 && ` (${grouped(unpriced)} of unknown cost)`}
      </td>
      <td class="amount">
        <button
          type="button"
          onClick={() => {
            selected.value = index;
          }}
        >
          {index}
        </button>
      </td>
      <td class="content">
        {block.layer ?? `${block.role} ${block.holds}`}: <span class="soft">{block.begins}</span>
      </td>
    </tr>
  );
}

function sortedRows(
  blocks: readonly ShownBlock[],
  costs: ShownCosts | undefined,
  order: CostOrder,
): readonly CostRow[] {
  if (costs === undefined) return [];
  const rows = blocks.map((block, index): CostRow => ({
    index,
    block,
    cost: costs.costs[index] ?? null,
    requests: costs.requests[index] ?? 0,
    unpriced: costs.unpriced[index] ?? 0,
  }));
  return rows.toSorted((a, b) => valueOf(b, order) - valueOf(a, order) || a.index - b.index);
}

function valueOf({ index, block, cost, requests }: CostRow, order: CostOrder): number {
  if (order === 'index') return -index;
  if (order === 'cost') return cost === null ? -1 : Number(cost);
  return order === 'tokens' ? block.tokens : requests;
}

/** Returns an amount with six decimals, without zeros at its end. A smaller amount is shown whole. */
function shortAmount(cost: string): string {
  const value = Number(cost);
  return value >= 0.000001 ? String(Number(value.toFixed(6))) : cost;
}
