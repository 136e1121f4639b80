// Cost of each day as a chart, and as a table.

import { useMemo } from 'preact/hooks';
import type { CostGroup } from './cost-tables.tsx';
import { CostCells, CostHead } from './cost-tables.tsx';
import { dollars } from './format.ts';
import { roundValues } from './round-values.ts';

const [HEIGHT, TOP, BOTTOM] = [220, 10, 24];
const DAY_MS = 86_400_000;
/** Most days that have a label below the chart. */
const LABELS = 8;

interface CostDay extends CostGroup {
  readonly name: string;
}

/** Shows the cost of each day (UTC). */
export function CostDays({ groups }: { readonly groups: readonly CostGroup[] }) {
  const days = useMemo(
    () =>
      groups
        .flatMap(({ name, sums }) => (name === null || sums.calls === 0 ? [] : [{ name, sums }]))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    [groups],
  );
  if (days.length === 0) return null;
  return (
    <section>
      <h2>By day (UTC)</h2>
      {days.length > 1 && <DayChart days={days} />}
      <details open={days.length <= 7}>
        <summary>
          Table of {days.length} {days.length === 1 ? 'day' : 'days'}
        </summary>
        <table class="wide">
          <CostHead first="Day" />
          <tbody>
            {days.toReversed().map(({ name, sums }) => (
              <CostCells key={name} name={name} sums={sums} />
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

function DayChart({ days }: { readonly days: readonly CostDay[] }) {
  const first = Date.parse(days[0]?.name ?? '');
  const placeOf = (day: string): number => Math.round((Date.parse(day) - first) / DAY_MS);
  const count = placeOf(days.at(-1)?.name ?? '') + 1;
  const largest = Math.max(...days.map(({ sums }) => Math.max(Number(sums.paid.cost), Number(sums.compared.ideal))));
  const yOf = (amount: number): number => HEIGHT - BOTTOM - (amount / (largest || 1)) * (HEIGHT - BOTTOM - TOP);
  const grid = roundValues(largest);
  return (
    <>
      <ul class="legend">
        <li>
          <span class="sample-paid" aria-hidden="true" /> bar: paid
        </li>
        <li>
          <span class="sample-ideal" aria-hidden="true" /> line: with an ideal cache
        </li>
        <li>Calls of unknown cost are in neither.</li>
      </ul>
      <div class="days" role="img" aria-label={chartText(days)}>
        <svg width="72" height={HEIGHT}>
          {grid.map((amount) => (
            <text key={amount} x="66" y={yOf(amount) + 4} text-anchor="end">
              {dollars(amount)}
            </text>
          ))}
        </svg>
        <svg class="plot" height={HEIGHT}>
          {grid.map((amount) => (
            <line key={amount} x1="0" x2="100%" y1={yOf(amount)} y2={yOf(amount)} />
          ))}
          {days.map((day) => (
            <DayBar key={day.name} day={day} left={placeOf(day.name) / count} width={1 / count} yOf={yOf} />
          ))}
          <DayLabels first={first} count={count} />
        </svg>
      </div>
    </>
  );
}

interface BarOfDay {
  readonly day: CostDay;
  /** Place and width as shares of the chart. */
  readonly left: number;
  readonly width: number;
  readonly yOf: (amount: number) => number;
}

function DayBar({ day: { name, sums }, left, width, yOf }: BarOfDay) {
  const { paid, compared } = sums;
  const share = (value: number): string => `${value * 100}%`;
  const [start, end] = [left + width * 0.15, left + width * 0.85];
  return (
    <g>
      <title>{`${name}: ${dollars(paid.cost)} paid, ${dollars(compared.ideal)} with an ideal cache`}</title>
      {paid.cost !== null && (
        <rect
          x={share(start)}
          width={share(end - start)}
          y={yOf(Number(paid.cost))}
          height={yOf(0) - yOf(Number(paid.cost))}
        />
      )}
      {compared.ideal !== null && (
        <>
          <line
            class="edge"
            x1={share(start)}
            x2={share(end)}
            y1={yOf(Number(compared.ideal))}
            y2={yOf(Number(compared.ideal))}
          />
          <line
            class="ideal"
            x1={share(start)}
            x2={share(end)}
            y1={yOf(Number(compared.ideal))}
            y2={yOf(Number(compared.ideal))}
          />
        </>
      )}
    </g>
  );
}

function DayLabels({ first, count }: { readonly first: number; readonly count: number }) {
  const every = Math.ceil(count / LABELS);
  const places = Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
  return (
    <>
      {places.map((place) => (
        <text key={place} x={`${(place / count) * 100}%`} y={HEIGHT - 6}>
          {new Date(first + place * DAY_MS).toISOString().slice(5, 10)}
        </text>
      ))}
    </>
  );
}

function chartText(days: readonly CostDay[]): string {
  const dearest = days.reduce((a, b) => (Number(b.sums.paid.cost) > Number(a.sums.paid.cost) ? b : a));
  const [first, last] = [days[0]?.name, days.at(-1)?.name];
  const largest = `The largest is ${dollars(dearest.sums.paid.cost)} on ${dearest.name}.`;
  return `Paid cost of ${days.length} days from ${first} to ${last}. ${largest} The table below has all days.`;
}
