// Output of the frames: changes what Ink writes to the terminal, so that each frame is erased completely.

import type { DrawnRows } from './drawn-rows.ts';
import { createDrawnRows } from './drawn-rows.ts';
import { erasedByRows, movedByLineFeeds, movedUpByLines } from './erase-rows.ts';
import type { Reflow } from './reflow.ts';

/** Terminal with a size. */
export interface SizedTerminal extends NodeJS.WritableStream {
  readonly columns?: number;
  readonly rows?: number;
}

/** Output of a terminal that Ink draws frames on. */
export interface FrameOutput {
  /**
   * Erases the last frame after the terminal has got another size. `clear` makes Ink write what erases the frame at the
   * old size. Ink counts the rows that it has written, but the terminal can have wrapped them into more rows.
   */
  eraseResized(clear: () => void): void;
  /** Ends the changes of the output. */
  end(): void;
}

/** Changes the output of a terminal. */
export function changeOutput(stdout: SizedTerminal, reflow: Reflow): FrameOutput {
  const { write } = stdout;
  const rows = createDrawnRows();
  let held: string | undefined;
  stdout.write = new Proxy(write, {
    apply(target, self, [chunk, ...rest]: readonly unknown[]) {
      if (typeof chunk !== 'string') return Reflect.apply(target, self, [chunk, ...rest]);
      if (held !== undefined) {
        held += chunk;
        return true;
      }
      rows.write(chunk);
      return Reflect.apply(target, self, [erasedByRows(movedByLineFeeds(chunk), stdout.rows), ...rest]);
    },
  });
  return {
    eraseResized(clear) {
      held = '';
      clear();
      const erased = held;
      held = undefined;
      if (erased === '') return;
      const up = rowsUp(erased);
      const moves = reflow === 'by-lines' ? movedUpByLines(up) : movedUp(rows, up, stdout.columns, reflow);
      rows.write(erased);
      Reflect.apply(write, stdout, [`\u001b[?25l${moves}\r${erasedByRows('\u001b[J', stdout.rows)}`]);
    },
    end() {
      stdout.write = write;
    },
  };
}

/** Returns the sequence that moves the cursor up by a number of lines that the terminal has wrapped to its columns. */
function movedUp(rows: DrawnRows, lines: number, columns: number | undefined, reflow: Reflow): string {
  const up = rows.rowsSince(rows.row() - lines, columns ?? 80, reflow);
  return up > 0 ? `\u001b[${up}A` : '';
}

/** Returns how many rows a text moves the cursor up. */
function rowsUp(text: string): number {
  return Array.from(text.matchAll(/\u001b\[(\d*)([AB])/g))
    .map(([, count = '', sign]) => (Number.parseInt(count, 10) || 1) * (sign === 'A' ? 1 : -1))
    .reduce((sum, one) => sum + one, 0);
}
