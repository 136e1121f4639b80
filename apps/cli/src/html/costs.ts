// Renders the cost of each call of a session, as a table at the end of the page.

import type { Position, Usage } from '@tidemark/log';
import { allWritten, inputTokens, outputTokens, sumOfMoney } from '@tidemark/model';

import { dollars, formatNumber } from '../frame/numbers.ts';
import type { AnswerRecord } from '../present/answer-end.ts';
import type { Markup } from './markup.ts';
import { markup } from './markup.ts';

/** One row of the table. An unknown value stays unknown (L7). */
export interface CostRow {
  readonly position: Position;
  readonly what: string;
  readonly model: string;
  readonly usage: Usage;
  readonly cost: string | undefined;
  readonly note: string;
}

/** Returns the table row of a call. */
export function costRow({ kind, position, data }: AnswerRecord): CostRow {
  const { stream, step, model, usage = {}, cost } = data;
  const miss = kind === 'answer.received' ? data.miss : undefined;
  const again =
    miss === undefined
      ? ''
      : `${formatNumber(miss.tokens)} tokens paid again: ${[miss.cause, ...(miss.also ?? [])].join(' + ')}`;
  const ended = kind === 'answer.interrupted' ? 'the answer is incomplete' : again;
  const note = [totalWords(usage), ended].filter((words) => words !== '').join('; ');
  return { position, what: stream === 'main' ? `step ${step}` : stream, model, usage, cost, note };
}

/** Returns the total input if the provider does not report every bucket. Otherwise returns an empty string. */
function totalWords(usage: Usage): string {
  const input = inputTokens(usage);
  const isWhole = usage.fresh !== undefined && usage.read !== undefined && allWritten(usage) !== undefined;
  return isWhole || input === undefined ? '' : `${formatNumber(input)} input tokens in total`;
}

/** Formats the usage and cost of a call on one line: `read 1,200, written 30, fresh 4, out 85; $0.0102`. */
export function usageWords({ usage, cost }: CostRow): string {
  const tokens = `read ${tokensText(usage.read)}, written ${tokensText(allWritten(usage))}, fresh ${tokensText(usage.fresh)}, out ${tokensText(outputTokens(usage))}`;
  return cost === undefined ? tokens : `${tokens}; ${dollars(cost)}`;
}

/** Renders the table, with one row per call and a row of sums. */
export function costTable(rows: readonly CostRow[]): Markup {
  const known = rows.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const unknown = rows.length - known.length;
  const note = unknown === 0 ? '' : `and ${formatNumber(unknown)} with unknown cost`;
  return markup`<h2 id="costs">Cost by step</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>call</th>
            <th>read</th>
            <th>written</th>
            <th>fresh</th>
            <th>out</th>
            <th>cost</th>
            <th></th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(line)}
        </tbody>
        <tfoot>
          <tr>
            <td>${formatNumber(rows.length)} calls</td>
            <td>${total(rows, ({ read }) => read)}</td>
            <td>${total(rows, allWritten)}</td>
            <td>${total(rows, ({ fresh }) => fresh)}</td>
            <td>${total(rows, outputTokens)}</td>
            <td>${known.length === 0 ? '?' : dollars(sumOfMoney(known))}</td>
            <td>${note}</td>
          </tr>
        </tfoot>
      </table>
    </div> `;
}

function line(row: CostRow): Markup {
  const { position, what, model, usage, cost, note } = row;
  return markup`<tr>
    <td><a href="#r${position}">${what}</a> <span class="soft">${model}</span></td>
    <td>${tokensText(usage.read)}</td>
    <td>${tokensText(allWritten(usage))}</td>
    <td>${tokensText(usage.fresh)}</td>
    <td>${tokensText(outputTokens(usage))}</td>
    <td>${cost === undefined ? '?' : dollars(cost)}</td>
    <td>${note}</td>
  </tr> `;
}

/** Returns the sum of the known values, followed by `+ ?` if some are unknown. Returns `?` if all are unknown. */
function total(rows: readonly CostRow[], of: (usage: Usage) => number | undefined): string {
  const values = rows.map(({ usage }) => of(usage));
  const known = values.filter((value) => value !== undefined);
  const sum = formatNumber(known.reduce((all, value) => all + value, 0));
  return known.length === values.length ? sum : known.length === 0 ? '?' : `${sum} + ?`;
}

function tokensText(tokens: number | undefined): string {
  return tokens === undefined ? '?' : formatNumber(tokens);
}
