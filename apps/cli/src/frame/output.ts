// Where a command's words go: results on stdout, all else on stderr; for people, or as JSON for programs.

import type { CommandFailure } from './failure.ts';
import { plainJson, plainText } from './plain-text.ts';
import type { Shown } from './shown.ts';
import { render } from './shown.ts';
import type { TableOf } from './table.ts';
import { plainTable, terminalTable } from './table.ts';

/** One of the two streams, and what it can show. */
export interface Sink {
  write(text: string): void;
  readonly terminal: boolean;
  /** Whether colours may be used: a terminal, and neither `NO_COLOR` nor `TERM=dumb`. */
  readonly colour: boolean;
}

/** What a command says. With `--json` only `result`, `event` and `failure` print, one JSON value a line. */
export interface CommandOutput {
  readonly json: boolean;
  /** Whether a person watches stderr: progress may overwrite itself there. */
  readonly watched: boolean;
  /** The one answer of a command: the value for programs, the text for people. */
  result(value: object, forPeople: () => Shown): void;
  /** One of many: as `result`, but a stream. */
  event(value: object, forPeople: () => Shown): void;
  /** For people only, on stdout. */
  line(shown: Shown): void;
  /** For people only: a piece of a line on stdout, as it comes. */
  piece(text: string): void;
  table(table: TableOf): void;
  /** Progress and notices, on stderr, in both modes. */
  note(shown: Shown): void;
  failure(failure: CommandFailure): void;
}

/** An output over two sinks. */
export function createOutput(json: boolean, out: Sink, err: Sink): CommandOutput {
  const say = (sink: Sink, shown: Shown): void => sink.write(`${render(shown, sink.colour)}\n`);
  const either = (value: object, forPeople: () => Shown): void => {
    if (json) out.write(`${plainJson(value)}\n`);
    else say(out, forPeople());
  };
  return {
    json,
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
      if (!json) out.write(`${out.terminal ? terminalTable(table, out.colour) : plainTable(table)}\n`);
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
