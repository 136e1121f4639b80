// Output of a command. Results go to stdout, everything else to stderr. The output is text for people or JSON for
// programs.

import type { CommandFailure } from './failure.ts';
import { plainJson, plainText } from './plain-text.ts';
import type { Shown } from './shown.ts';
import { render } from './shown.ts';
import type { TableOf } from './table.ts';
import { plainTable, terminalTable } from './table.ts';

/** Output stream, such as stdout or stderr. */
export interface Sink {
  write(text: string): void;
  readonly terminal: boolean;
  /**
   * True if colours may be used. This requires that the stream is a terminal, and that neither `NO_COLOR` nor
   * `TERM=dumb` is set.
   */
  readonly colour: boolean;
  /** Columns of the terminal. Absent if they are unknown. */
  readonly columns?: number;
}

/**
 * Output functions of a command. With `--json`, stdout contains only values of `result`, `event` and `failure`, one
 * JSON value per line.
 */
export interface CommandOutput {
  readonly json: boolean;
  /** True if stdout is a terminal and the output is text. */
  readonly terminal: boolean;
  /** True if text for people on stdout may have colours. */
  readonly colour: boolean;
  /** True if a user watches stderr. Progress lines may then overwrite themselves. Always false with `--json`. */
  readonly watched: boolean;
  /** Prints the single result of a command: the value as JSON, or the text for people. */
  result(value: object, forPeople: () => Shown): void;
  /** Prints one of many results, as the value in JSON or as the text for people. */
  event(value: object, forPeople: () => Shown): void;
  /** Prints a line for people on stdout. Prints nothing with `--json`. */
  line(shown: Shown): void;
  /** Prints part of a line for people on stdout, as soon as it arrives. Prints nothing with `--json`. */
  piece(text: string): void;
  table(table: TableOf): void;
  /** Prints progress or a notice on stderr, with or without `--json`. */
  note(shown: Shown): void;
  failure(failure: CommandFailure): void;
}

/** Creates an output that writes results to `out` and everything else to `err`. */
export function createOutput(json: boolean, out: Sink, err: Sink): CommandOutput {
  const say = (sink: Sink, shown: Shown): void => sink.write(`${render(shown, sink.colour)}\n`);
  const either = (value: object, forPeople: () => Shown): void => {
    if (json) out.write(`${plainJson(value)}\n`);
    else say(out, forPeople());
  };
  return {
    json,
    terminal: out.terminal && !json,
    colour: out.colour,
    watched: err.terminal && !json,
    result: either,
    event: either,
    line: (shown) => {
      if (!json) say(out, shown);
    },
    piece: (text) => {
      if (!json) out.write(plainText(text));
    },
    table: (table) => {
      if (!json) out.write(`${out.terminal ? terminalTable(table, out.colour, out.columns) : plainTable(table)}\n`);
    },
    note: (shown) => say(err, shown),
    failure: (failure) => {
      const { code, message, next } = failure;
      if (json) out.write(`${plainJson({ ok: false, error: { code, message, next } })}\n`);
      else say(err, failureText(failure));
    },
  };
}

function failureText(failure: CommandFailure): Shown {
  return [
    { style: 'red', text: 'error' },
    `: ${failure.message}`,
    failure.next === '' ? '' : `\nnext: ${failure.next}`,
  ];
}
