// Prints the results of a script as a table.

/**
 * Prints rows with the cells of a column below each other. The first row is the header. The last cell of a row that is
 * shorter than the header is a text, which does not widen its column.
 */
export function printTable(table: readonly (readonly string[])[]): void {
  const [header = []] = table;
  const isText = (row: readonly string[], column: number): boolean =>
    row.length < header.length && column === row.length - 1;
  const widths = header.map((_, column) =>
    Math.max(...table.map((row) => (isText(row, column) ? 0 : (row[column] ?? '').length))),
  );
  for (const row of table) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    console.log(cells.join('  ').trimEnd());
  }
}
