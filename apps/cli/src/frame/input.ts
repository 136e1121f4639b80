// What comes in from outside while a command runs: what was piped, and whoever sits at the terminal.

/** The input of a command while it runs: what is piped in, and the person at the terminal. */
export interface Input {
  /** Somebody can be asked: both what is read and where questions go are a terminal. */
  readonly terminal: boolean;
  /** Something else than a terminal feeds stdin. */
  readonly piped: boolean;
  /** What is piped in, to its end, whatever it is; no more than one piece beyond `most` bytes: a device may have no end. */
  bytes(most: number): Promise<Uint8Array>;
  /**
   * What is piped in next to something else, as `bytes` has it; nothing where a program holds stdin open and writes nothing.
   *
   * @throws when the signal aborts.
   */
  along(most: number, signal: AbortSignal): Promise<Uint8Array>;
  /** Rows of the terminal that `show` and `ask` write to: 24 where it does not say. */
  readonly rows: number;
  /** Columns of the same terminal: 80 where it does not say. */
  readonly columns: number;
  /** Writes text above the next question, as it stands: it must hold nothing that steers a terminal. */
  show(text: string): void;
  /**
   * Shows a question and returns the line that is typed after it; an empty one at the end of the input. What was typed before
   * the question was shown is discarded, unfinished lines included. @throws when the signal aborts.
   */
  ask(question: string, signal: AbortSignal): Promise<string>;
}
