// Renders the table of benchmarks as text for a terminal.

import Table from 'cli-table3';

import type { Result, TableOfResult } from './benchmark.ts';

/**
 * Renders the table with one row for each result, and after it the tables that the results contain. The row of a
 * benchmark that threw contains the message of its error.
 */
export function renderResults(rows: readonly Result[]): string {
  const table = new Table({
    head: ['benchmark', 'against', 'ratio', 'target', '', 'made of'],
    style: { head: [], border: [] },
  });
  table.push(...rows.map(rowOf));
  const own = rows.flatMap(({ name, table: held }) => (held === undefined ? [] : [`${name}:\n${renderTable(held)}`]));
  return [table.toString(), ...own].join('\n\n');
}

function renderTable({ head, rows }: TableOfResult): string {
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

function rowOf({ name, against, ratio, target, unit, met, error, details = {} }: Result): string[] {
  const parts = Object.entries(details).map(
    ([key, value]) => `${key} ${typeof value === 'number' ? short(value) : value}`,
  );
  const counted = unit === undefined ? '' : ` ${unit}`;
  const verdict = error !== undefined ? 'failed' : met === null ? 'absent' : met ? 'met' : 'missed';
  return [
    name,
    against,
    ratio === null ? '' : `${short(ratio)}${counted}`,
    `≤ ${target}${counted}`,
    verdict,
    error ?? parts.join('\n'),
  ];
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}
