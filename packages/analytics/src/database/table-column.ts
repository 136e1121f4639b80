// Columns of tables, each with the function that returns its value.

/** Column of a table whose rows are made of `Row`. */
export interface TableColumn<Row> {
  readonly name: string;
  readonly type: 'TEXT NOT NULL' | 'TEXT' | 'INTEGER NOT NULL' | 'INTEGER';
  readonly value: (row: Row) => string | number | null;
}

/** Returns the declarations of columns for `CREATE TABLE`. */
export function declareColumns<Row>(columns: readonly TableColumn<Row>[]): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ');
}

/** Returns the names of columns, separated by commas. */
export function namesOfColumns(columns: readonly { readonly name: string }[]): string {
  return columns.map(({ name }) => name).join(', ');
}
