// Blocks of the terminal: parts of the conversation that are final. Each block is printed once, into the scrollback of
// the terminal.

import type { Position } from '@tidemark/log';

import type { Line } from './line.ts';

/** A part of the conversation that is final. `key` is unique among the blocks of a terminal. */
export type PrintedBlock = PrintedPrompt | PrintedAnswer | PrintedReasoning | PrintedCall | PrintedLines;

/** A prompt of the user, or a message that was added to a running turn. */
export interface PrintedPrompt {
  readonly kind: 'prompt';
  readonly key: string;
  readonly text: string;
  /** True for a message that was added to a running turn. */
  readonly steer: boolean;
}

/** Text of an answer, in Markdown. */
export interface PrintedAnswer {
  readonly kind: 'answer';
  readonly key: string;
  readonly text: string;
}

/** Reasoning of the model before an answer that the provider returned as text. */
export interface PrintedReasoning {
  readonly kind: 'reasoning';
  readonly key: string;
  readonly text: string;
  /** Tokens of the reasoning, if the provider reported them. */
  readonly tokens?: number;
  /** Time from the first to the last text of the reasoning. Absent if no terminal saw it arrive. */
  readonly durationMs?: number;
}

/** A tool call that has ended. */
export interface PrintedCall {
  readonly kind: 'tool';
  readonly key: string;
  readonly call: string;
  readonly tool: string;
  /** Name of the tool and the arguments that identify the call, such as `edit src/tax.js`. */
  readonly title: string;
  /** `unstarted`: the turn ended before the call began. `crashed`: the process ended while the call ran. */
  readonly outcome: 'ok' | 'failed' | 'denied' | 'interrupted' | 'unstarted' | 'crashed';
  /** Denial in words, such as `denied by the hook check`. Only for a denied call. */
  readonly denial?: string;
  /** Fact about the result, such as `214 lines`. */
  readonly fact?: string;
  readonly durationMs?: number;
  readonly exit?: number;
  /** Unified diff of an edit, without file headers. */
  readonly diff?: string;
  /** Part of the output that is shown below the call: the error of a failed call, or the end of a failed command. */
  readonly excerpt?: OutputExcerpt;
  /** Tasks of a `plan` call, together with the open tasks of earlier calls. */
  readonly plan?: readonly PlannedTask[];
  /** Position of the record with the result. Absent if the call has no result. */
  readonly position?: Position;
}

/** Some lines of an output. */
export interface OutputExcerpt {
  readonly lines: readonly string[];
  /** Number of lines that are not shown. */
  readonly left: number;
  /** Place of the lines that are not shown. */
  readonly leftOut: 'before' | 'after';
}

/** A task of a plan. */
export interface PlannedTask {
  readonly task: string;
  readonly status: 'open' | 'active' | 'done' | 'dropped';
}

/** Lines of Tidemark: a notice, the end of a turn, or the output of a command. */
export interface PrintedLines {
  readonly kind: 'lines';
  readonly key: string;
  readonly lines: readonly Line[];
}
