// Draws the cost over time: one bar per day, week or month. The lower part of a bar had to be paid. Above it is the
// difference by group of causes.

import type { Audit, AuditCause, AuditDay } from '@tidemark/analytics';
import { sumOfMoney } from '@tidemark/model';

import { dollars, formatNumber, percent } from '../frame/numbers.ts';
import type { CauseColour, CauseGroupName } from './audit-colours.ts';
import { colourOf, groupsOf, swatch } from './audit-colours.ts';
import type { Markup } from './markup.ts';
import { markup } from './markup.ts';

/** Sums of one bar. Amounts are exact US dollars. */
export interface AuditBar {
  /** Name of the period in UTC: a day, the first day of a week, or a month. */
  readonly name: string;
  readonly calls: number;
  readonly paid: string;
  readonly hadToCost: string;
  readonly difference: string;
  readonly byGroup: ReadonlyMap<CauseColour, string>;
}

/** Length of time of one bar. */
export type BarLength = 'day' | 'week' | 'month';

/** Maximum number of bars of one length. A longer time has longer bars. */
const MAX_BARS = 100;

const DAY_MS = 86_400_000;

/** Returns the bars of an audit, including bars without calls between others, and their length. */
export function barsOf(days: readonly AuditDay[]): { readonly length: BarLength; readonly bars: readonly AuditBar[] } {
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  if (first === undefined || last === undefined) return { length: 'day', bars: [] };
  const count = (Date.parse(last) - Date.parse(first)) / DAY_MS;
  const length = count <= MAX_BARS ? 'day' : count <= 7 * MAX_BARS ? 'week' : 'month';
  const byName = Map.groupBy(days, ({ day }) => barName(day, length));
  return { length, bars: namesBetween(first, last, length).map((name) => barOf(name, byName.get(name) ?? [])) };
}

function namesBetween(first: string, last: string, length: BarLength): readonly string[] {
  const names = new Set<string>();
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS)
    names.add(barName(new Date(at).toISOString().slice(0, 10), length));
  return [...names];
}

function barName(day: string, length: BarLength): string {
  if (length === 'day') return day;
  if (length === 'month') return day.slice(0, 7);
  const date = new Date(day);
  const daysSinceMonday = (date.getUTCDay() + 6) % 7;
  return new Date(date.getTime() - daysSinceMonday * DAY_MS).toISOString().slice(0, 10);
}

function barOf(name: string, days: readonly AuditDay[]): AuditBar {
  return {
    name,
    calls: days.reduce((sum, { calls }) => sum + calls, 0),
    paid: sumOfMoney(days.map(({ paid }) => paid)),
    hadToCost: sumOfMoney(days.map(({ hadToCost }) => hadToCost)),
    difference: sumOfMoney(days.map(({ difference }) => difference)),
    byGroup: costByGroup(days.flatMap(({ causes }) => causes)),
  };
}

/** Returns the cost of causes by their group. */
export function costByGroup(causes: readonly AuditCause[]): ReadonlyMap<CauseColour, string> {
  const groups = Map.groupBy(causes, ({ cause }) => colourOf(cause));
  return new Map([...groups].map(([colour, of]) => [colour, sumOfMoney(of.map(({ cost }) => cost))]));
}

/** Renders the section with the bars, their legend and their table. */
export function daysSection({ days, causes }: Audit): Markup {
  const { length, bars } = barsOf(days);
  const groups = groupsOf(causes.map(({ cause }) => cause));
  return markup`<h2 id="days">Cost by ${length}</h2>
    <p class="soft">Each bar is the paid cost of one ${length} (UTC). The lower part had to be paid. The upper parts are the difference by cause.</p>
    ${legend(groups)}${drawing(bars, groups, length)}
    <details>
      <summary>These figures as a table</summary>
      ${barsTable(bars, groups, length)}
    </details> `;
}

function legend(groups: readonly CauseGroupName[]): Markup {
  return markup`<ul class="legend">
    <li>${swatch('needed')}had to cost</li>
    ${groups.map(({ colour, name }) => markup`<li>${swatch(colour)}${name}</li>`)}
  </ul> `;
}

/** Height of the drawing without the names below it, in em. */
const HEIGHT = 14;

/** Minimum number of bars that fit into the width, so that a bar is never very wide. */
const PLACES = 14;

function drawing(bars: readonly AuditBar[], groups: readonly CauseGroupName[], length: BarLength): Markup {
  const top = roundTop(Math.max(...bars.map(({ paid }) => Number(paid))));
  const width = 100 / Math.max(bars.length, PLACES);
  const marks = [top, top / 2, 0].map(
    (value) => markup`<span style="bottom:${((100 * value) / top).toFixed(1)}%">${dollars(String(value))}</span>`,
  );
  const label = `Paid cost by ${length}, divided into the part that had to be paid and the difference by cause. The table below has the figures.`;
  return markup`<div class="chart">
    <div class="marks" aria-hidden="true">${marks}</div>
    <svg role="img" aria-label="${label}" width="100%" height="${HEIGHT + 1.5}em">
      <line class="grid" x2="100%"/><line class="grid" x2="100%" y1="${HEIGHT / 2}em" y2="${HEIGHT / 2}em"/>
      ${bars.map((bar, index) => drawBar(bar, { x: index * width, width, top }, groups))}
      <line class="axis" x2="100%" y1="${HEIGHT}em" y2="${HEIGHT}em"/>
      ${barNames(bars, width, length)}
    </svg>
  </div> `;
}

/** Returns a round amount that is not below the value. */
function roundTop(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 1.2, 1.6, 2, 3, 4, 5, 6, 8].find((one) => one * power >= value) ?? 10);
}

interface BarPlace {
  readonly x: number;
  readonly width: number;
  /** Amount at the top of the drawing. */
  readonly top: number;
}

function drawBar(bar: AuditBar, { x, width, top }: BarPlace, groups: readonly CauseGroupName[]): Markup {
  const parts: Markup[] = [];
  let y = HEIGHT;
  const add = (name: string, amount: string | undefined): void => {
    const height = (HEIGHT * Number(amount ?? 0)) / top;
    if (height <= 0) return;
    y -= height;
    const place = `x="${(x + width * 0.1).toFixed(2)}%" y="${y.toFixed(3)}em" width="${(width * 0.8).toFixed(2)}%"`;
    parts.push({ html: `<rect class="${name}" ${place} height="${height.toFixed(3)}em"/>` });
  };
  add('needed', bar.hadToCost);
  for (const { colour } of groups) add(colour, bar.byGroup.get(colour));
  return markup`<g>
    <title>${barTitle(bar, groups)}</title>
    <rect class="hover" x="${x.toFixed(2)}%" width="${width.toFixed(2)}%" height="${HEIGHT}em"/>${parts}
  </g> `;
}

function barTitle(
  { name, calls, paid, hadToCost, difference, byGroup }: AuditBar,
  groups: readonly CauseGroupName[],
): string {
  const causes = groups.flatMap(({ colour, short }) => {
    const cost = byGroup.get(colour);
    return cost === undefined ? [] : [`\n${short}: ${dollars(cost)}`];
  });
  const share = percent(Number(difference), Number(paid));
  return `${name}, ${formatNumber(calls)} calls\npaid ${dollars(paid)}\nhad to cost ${dollars(hadToCost)}\ndifference ${dollars(difference)} (${share})${causes.join('')}`;
}

/** Number of names below the bars. More would overlap on a phone. */
const NAMES = 5;

/** Place of the names in em of their own size, which is 0.8 of the drawing's. */
const NAME_Y = (HEIGHT + 1.1) / 0.8;

function barNames(bars: readonly AuditBar[], width: number, length: BarLength): readonly Markup[] {
  const step = Math.ceil(Math.max(bars.length, PLACES) / NAMES);
  return bars.flatMap(({ name }, index) => {
    if (index % step !== 0) return [];
    const x = ((index + (length === 'month' ? 0 : 0.1)) * width).toFixed(2);
    return [markup`<text x="${x}%" y="${NAME_Y}em">${length === 'month' ? name : name.slice(5)}</text>`];
  });
}

function barsTable(bars: readonly AuditBar[], groups: readonly CauseGroupName[], length: BarLength): Markup {
  const rows = bars.filter(({ calls }) => calls > 0);
  return markup`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">${length}</th>
          <th scope="col">calls</th>
          <th scope="col">paid</th>
          <th scope="col">had to cost</th>
          <th scope="col">difference</th>
          ${groups.map(({ short }) => markup`<th scope="col">${short}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ name, calls, paid, hadToCost, difference, byGroup }) => markup`<tr>
            <th scope="row">${name}</th>
            <td>${formatNumber(calls)}</td>
            <td>${dollars(paid)}</td>
            <td>${dollars(hadToCost)}</td>
            <td>${dollars(difference)}</td>
            ${groups.map(({ colour }) => markup`<td>${dollars(byGroup.get(colour) ?? '0')}</td>`)}
          </tr> `,
        )}
      </tbody>
    </table>
  </div> `;
}
