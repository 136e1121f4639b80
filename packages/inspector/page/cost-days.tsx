// Cost of each day as a chart, and as a table.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { CostGroup } from './cost-tables.tsx';
import { CostCells, CostHead } from './cost-tables.tsx';
import { dollars } from './format.ts';

const HEIGHT = 220;
const DAY_S = 86_400;

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

interface CostDay extends CostGroup {
  readonly name: string;
}

function DayChart({ days }: { readonly days: readonly CostDay[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    let chart: uPlot | undefined;
    const draw = (): void => {
      chart?.destroy();
      chart = new uPlot(optionsOf(current.clientWidth), dataOf(days), current);
    };
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const sizes = new ResizeObserver(() => chart?.setSize({ width: current.clientWidth, height: HEIGHT }));
    draw();
    sizes.observe(current);
    dark.addEventListener('change', draw);
    return () => {
      sizes.disconnect();
      dark.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [days]);
  return (
    <>
      <ul class="legend">
        <li>
          <span class="sample-paid" aria-hidden="true" /> bar: paid
        </li>
        <li>
          <span class="sample-ideal" aria-hidden="true" /> dashed line: with an ideal cache
        </li>
        <li>Calls of unknown cost are in neither.</li>
      </ul>
      <div ref={place} class="days" role="img" aria-label={chartText(days)} />
    </>
  );
}

function chartText(days: readonly CostDay[]): string {
  const dearest = days.reduce((a, b) => (Number(b.sums.paid.cost) > Number(a.sums.paid.cost) ? b : a));
  const [first, last] = [days[0]?.name, days.at(-1)?.name];
  return `Paid cost of ${days.length} days from ${first} to ${last}. The largest is ${dollars(dearest.sums.paid.cost)} on ${dearest.name}. The table below has all days.`;
}

/** Returns the times of the days, the paid costs, and the costs with an ideal cache. */
function dataOf(days: readonly CostDay[]): uPlot.AlignedData {
  const known = (cost: string | null): number | null => (cost === null ? null : Number(cost));
  return [
    days.map(({ name }) => Date.parse(name) / 1_000),
    days.map(({ sums }) => known(sums.paid.cost)),
    days.map(({ sums }) => known(sums.compared.ideal)),
  ];
}

function optionsOf(width: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: color('soft'), grid: { stroke: color('line'), width: 1 }, ticks: { stroke: color('line') } };
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_chart, from, to) => [from - DAY_S, to + DAY_S] },
      y: { range: (_chart, _from, to) => [0, to * 1.05] },
    },
    axes: [
      {
        ...axis,
        values: (_chart, days) => days.map((day) => new Date(day * 1_000).toISOString().slice(5, 10)),
        incrs: DAY_INCREMENTS,
      },
      { ...axis, size: 70, values: (_chart, amounts) => amounts.map((amount) => dollars(amount)) },
    ],
    series: [
      {},
      {
        label: 'paid',
        fill: color('read'),
        stroke: color('read'),
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      },
      { label: 'ideal', stroke: color('ink'), width: 2, dash: [6, 4], points: { show: false } },
    ],
  };
}

const DAY_INCREMENTS = [1, 2, 7, 14, 30, 90, 365].map((days) => days * DAY_S);
