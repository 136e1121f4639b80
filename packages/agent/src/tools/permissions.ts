// The modes and the matrix: what may run, what is asked, what is denied. Pure.

import type { CallId, EffectClass, ModeChanged } from '@tidemark/log';

/** The permission mode. */
export type Mode = ModeChanged['mode'];

/** What the matrix is asked. */
export interface Permission {
  readonly mode: Mode;
  readonly effect: EffectClass;
  /** All that it changes lies inside the workspace. */
  readonly confined: boolean;
  /** What is executed runs in a sandbox, or the user has said that it need not. */
  readonly sandboxed: boolean;
}

/** A verdict, and the cell of the matrix that gave it. */
export interface Verdict {
  readonly decision: 'allowed' | 'denied' | 'asks';
  /** `auto/write/outside`: kept in `permission.decided`. */
  readonly rule: string;
}

/** What a person is asked. */
export interface Question {
  readonly call: CallId;
  readonly tool: string;
  readonly effect: EffectClass;
  /** One line: what the call would do. */
  readonly title: string;
  readonly rule: string;
}

/** Whoever can be asked. Absent, what is asked is denied, and the model is told that nobody was there. */
export type Asker = (question: Question, signal: AbortSignal) => Promise<'allowed' | 'denied'>;
