// Rules for tables in Markdown. The plugin for turndown needs properties of tables that the parser does not have.

import type TurndownService from 'turndown';

// Signs of private use mark the cells and rows of a table until its rule runs. They have no meaning in a text.
const CELL = '\uE000';
const ROW = '\uE001';

/** Returns a document without the signs that mark cells and rows. */
export function withoutTableSigns(html: string): string {
  return html.replaceAll(/[\uE000\uE001]/g, '');
}

/**
 * Adds the rules. A table with several columns becomes a Markdown table, with its first row as the header. A table that
 * contains another table or code, and a table with one column, is a layout: its cells become paragraphs.
 */
export function addTableRules(service: TurndownService): void {
  service.addRule('cell', { filter: ['td', 'th'], replacement: (content) => `${CELL}${content.trim()}` });
  service.addRule('row', { filter: 'tr', replacement: (content) => `${ROW}${content.trim()}` });
  service.addRule('part', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content });
  service.addRule('table', { filter: 'table', replacement: (content) => tableText(content) });
}

function tableText(content: string): string {
  const [before = '', ...rows] = content.split(ROW);
  const grid = rows.map((row) => row.split(CELL).slice(1));
  const columns = Math.max(0, ...grid.map((row) => row.length));
  const isLayout = columns < 2 || grid.some((row) => row.some((cell) => /^(```|\|)/m.test(cell)));
  const text = isLayout ? grid.map((row) => row.join('\n\n')).join('\n\n') : gridText(grid, columns);
  return `\n\n${before.replaceAll(CELL, '').trim()}\n\n${text}\n\n`;
}

function gridText([head = [], ...rows]: readonly (readonly string[])[], columns: number): string {
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: columns }, (_, index) => cellText(cells[index] ?? '')).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(columns)}`, ...rows.map(line)].join('\n');
}

function cellText(cell: string): string {
  return cell
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll('|', String.raw`\|`);
}
