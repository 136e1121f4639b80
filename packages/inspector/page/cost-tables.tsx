// Tables of the cost: three cases, causes, and models.

import type { components } from '@tidemark/client';
import { causeText } from './cause-text.ts';
import type { CostSums } from './cost-words.ts';
import { comparisonText, paidText } from './cost-words.ts';
import { count, dollars, percent } from './format.ts';

/** Sums of one group. The name is `null` for calls that have none. */
export type CostGroup = NonNullable<components['schemas']['Cost']['groups']>[number];

/** Shows the paid cost next to the cost of the same calls without a cache, and with an ideal cache. */
export function ThreeCosts({ sums }: { readonly sums: CostSums }) {
  const { paid, uncached, ideal } = sums.compared;
  const rows = [
    ['Paid', paid, 'bar-paid'],
    ['Without a cache', uncached, 'bar-uncached'],
    ['With an ideal cache', ideal, 'bar-ideal'],
  ] as const;
  const largest = Math.max(Number(paid), Number(uncached), Number(ideal));
  return (
    <>
      <p class="total">
        <strong>{paidText(sums)}</strong> paid for {count(sums.calls)} {sums.calls === 1 ? 'call' : 'calls'}
      </p>
      <p>{comparisonText(sums)}</p>
      {largest > 0 && (
        <table class="three">
          <caption>The same calls in three cases</caption>
          <tbody>
            {rows.map(([name, cost, look]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{dollars(cost)}</td>
                <td class="bar">
                  <svg width="100%" height="14" aria-hidden="true">
                    <rect class={look} width={`${(Number(cost) / largest) * 100}%`} height="14" />
                  </svg>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

interface CausePlace {
  readonly groups: readonly CostGroup[];
  readonly whole: CostSums;
}

/** Shows the tokens that were paid again, by cause, the largest cost first. */
export function CausesTable({ groups, whole }: CausePlace) {
  const lost = groups
    .filter(({ name, sums }) => name !== null && sums.lost.calls > 0)
    .toSorted((a, b) => Number(b.sums.lost.cost) - Number(a.sums.lost.cost));
  if (lost.length === 0) return <p>No call paid tokens again.</p>;
  const all = Number(whole.paid.cost);
  return (
    <table class="wide">
      <caption>Tokens that were paid again, by cause</caption>
      <thead>
        <tr>
          <th scope="col">Cause</th>
          <th scope="col">Calls</th>
          <th scope="col">Tokens paid again</th>
          <th scope="col">Additional cost</th>
          <th scope="col">Share of the paid cost</th>
        </tr>
      </thead>
      <tbody>
        {lost.map(({ name, sums }) => (
          <tr key={name}>
            <th scope="row">{causeText(name ?? '')}</th>
            <td>{count(sums.lost.calls)}</td>
            <td>{count(sums.lost.tokens)}</td>
            <td>{sums.lost.unpriced === sums.lost.calls ? 'unknown' : dollars(sums.lost.cost)}</td>
            <td>{all > 0 && sums.lost.cost !== null ? percent(Number(sums.lost.cost) / all) : 'unknown'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Shows the cost of each model, the largest first. */
export function ModelsTable({ groups }: { readonly groups: readonly CostGroup[] }) {
  const models = groups
    .filter(({ sums }) => sums.calls > 0)
    .toSorted((a, b) => Number(b.sums.paid.cost) - Number(a.sums.paid.cost));
  return (
    <table class="wide">
      <caption>By model</caption>
      <CostHead first="Model" />
      <tbody>
        {models.map(({ name, sums }) => (
          <CostCells key={name} name={name ?? 'no model'} sums={sums} />
        ))}
      </tbody>
    </table>
  );
}

/** Head of a table of costs. */
export function CostHead({ first }: { readonly first: string }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        <th scope="col">Calls</th>
        <th scope="col">Paid</th>
        <th scope="col">Without a cache</th>
        <th scope="col">Ideal cache</th>
        <th scope="col">Paid again</th>
      </tr>
    </thead>
  );
}

/** Row of a table of costs. The two other cases are those of the calls that can be compared. */
export function CostCells({ name, sums }: { readonly name: string; readonly sums: CostSums }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{count(sums.calls)}</td>
      <td>{paidText(sums)}</td>
      <td>{dollars(sums.compared.uncached)}</td>
      <td>{dollars(sums.compared.ideal)}</td>
      <td>{sums.lost.calls === 0 ? '–' : dollars(sums.lost.cost)}</td>
    </tr>
  );
}
