// Size of a terminal.

/** Size of a terminal, in cells. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}
