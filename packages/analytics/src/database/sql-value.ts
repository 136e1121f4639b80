// Values of columns, and their conversion to values of the program.

/** Value of a column. */
export type SqlValue = string | number | bigint | null;

/** Row of a result, by column name. Numbers are `bigint`, because sums of money exceed 2^53. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * Checks a row that SQLite returned. The row is not copied, because the rows of a long session are many.
 *
 * @throws TypeError for a column with bytes.
 */
export function sqlRow(row: Readonly<Record<string, unknown>>): SqlRow {
  if (isSqlRow(row)) return row;
  throw new TypeError('a column of the projection has bytes');
}

function isSqlRow(row: Readonly<Record<string, unknown>>): row is SqlRow {
  return Object.values(row).every(isSqlValue);
}

function isSqlValue(value: unknown): value is SqlValue {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}

/** Returns true for a column without a value. */
export function isNull(value: SqlValue | undefined): value is null | undefined {
  return value === null || value === undefined;
}

/** Returns the text of a column, or an empty text if the column has no value. */
export function textIn(value: SqlValue | undefined): string {
  return isNull(value) ? '' : String(value);
}

/** Returns the number of a column, or 0 if the column has no value. */
export function numberIn(value: SqlValue | undefined): number {
  return isNull(value) ? 0 : Number(value);
}

/** Returns the integer of a column, or 0 if the column has no value. */
export function bigintIn(value: SqlValue | undefined): bigint {
  return isNull(value) ? 0n : BigInt(value);
}
