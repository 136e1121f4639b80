// Formats the calls of the recorded demo. Each call becomes one line when its answer arrives.

import type { DrivenCall } from '@tidemark/recording';
import { costOf, priceAt } from '@tidemark/model';

import { formatNumber } from '../frame/numbers.ts';
import type { CommandOutput } from '../frame/output.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';

/** One call in the JSON output. */
export interface CallLine {
  readonly step: number;
  readonly at: string;
  readonly read: number | null;
  readonly written: number | null;
  readonly fresh: number | null;
  readonly cost: string | null;
  readonly note: string;
}

/** Returns the JSON row of a replayed call. */
export function callRow(call: DrivenCall): CallLine {
  const { usage, prepared } = call;
  const written = usage?.writes?.reduce((sum, write) => sum + write.tokens, 0);
  const at = prepared.record.at;
  return {
    step: call.step,
    at,
    read: usage?.read ?? null,
    written: written ?? null,
    fresh: usage?.fresh ?? null,
    cost: (usage === undefined ? undefined : inputCost(call)) ?? null,
    note: noteOf(call),
  };
}

function inputCost({ usage, row, prepared, recorded }: DrivenCall): string | undefined {
  const price = priceAt(row.capabilities, prepared.record.at.slice(0, 10), recorded.input);
  return price === undefined || usage === undefined ? undefined : costOf(price, { ...usage, answer: 0 })?.total;
}

function noteOf({ refused, prepared }: DrivenCall): string {
  if (refused !== undefined) return `refused: ${refused}`;
  const { opened, outlook } = prepared;
  if (opened !== undefined && opened.data.cause !== 'initial') {
    return `epoch ${opened.data.number}: ${opened.data.cause}, ${formatNumber(opened.data.forecast.rewrite)} written again`;
  }
  return outlook.loss === undefined ? '' : `${outlook.loss.cause}: ${formatNumber(outlook.loss.tokens)} written again`;
}

const COLUMNS = [
  ['call', 4],
  ['read', 8],
  ['written', 8],
  ['fresh', 6],
  ['paid', 8],
] as const;

/** Prints the table head. Returns a function that formats the line of one call. */
export function openCallTable(output: CommandOutput): (call: DrivenCall) => Shown {
  output.line([withStyle('dim', COLUMNS.map(([name, width]) => name.padStart(width)).join('  '))]);
  return (call) => {
    const { step, read, written, fresh, cost, note } = callRow(call);
    const count = (value: number | null): string => (value === null ? '?' : formatNumber(value));
    const cells = [
      String(step),
      count(read),
      count(written),
      count(fresh),
      cost === null ? '?' : `$${Number(cost).toFixed(4)}`,
    ];
    const line = cells.map((cell, index) => cell.padStart(COLUMNS[index]?.[1] ?? 0)).join('  ');
    return [line, note === '' ? '' : withStyle('yellow', `  ${note}`)];
  };
}
