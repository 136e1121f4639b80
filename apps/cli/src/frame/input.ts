// Input of a running command: piped data, and the user at the terminal.

/** Input of a running command: piped data, and the user at the terminal. */
export interface Input {
  /** True if the user can be asked: the input and the output for questions are both terminals. */
  readonly terminal: boolean;
  /** True if stdin is not a terminal. */
  readonly piped: boolean;
  /**
   * Reads the piped input as bytes, until it ends or until more than `most` bytes were read. The limit exists because a
   * device may have no end. The last chunk may exceed the limit.
   */
  bytes(most: number): Promise<Uint8Array>;
  /**
   * Reads input that is piped in addition to the words of a prompt. The limit `most` is the same as in `bytes`. If
   * another program keeps stdin open and writes nothing, returns no bytes.
   *
   * @throws when the signal aborts.
   */
  along(most: number, signal: AbortSignal): Promise<Uint8Array>;
  /** Rows of the terminal that `show` and `ask` write to. 24 if the terminal does not report them. */
  readonly rows: number;
  /** Columns of the terminal that `show` and `ask` write to. 80 if the terminal does not report them. */
  readonly columns: number;
  /** Writes text unchanged above the next question. The text must not contain terminal control sequences. */
  show(text: string): void;
  /**
   * Shows a question and returns the line that the user types after it. At the end of the input, returns an empty line.
   * Text that the user typed before the question is discarded, including unfinished lines. With `keepsTyped`, it is the
   * beginning of the answer, as for a prompt.
   *
   * @throws when the signal aborts.
   */
  ask(question: string, signal: AbortSignal, keepsTyped?: boolean): Promise<string>;
}
