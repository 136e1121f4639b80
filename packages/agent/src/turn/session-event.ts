// What a presenter is told: committed records, and what passes by without being kept. Who missed the latter lost nothing.

import type { CallId, Recorded } from '@tidemark/log';

/** One thing that happened. Only `recorded` is canonical. */
export type SessionEvent =
  | { readonly type: 'recorded'; readonly record: Recorded }
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'tool.progressed'; readonly call: CallId; readonly text: string }
  | { readonly type: 'notice.raised'; readonly notice: Notice };

/** Something said to a person, with a next action. */
export interface Notice {
  /** `turn/retrying`, `source/failed`. */
  readonly code: string;
  readonly message: string;
  readonly next: string;
}
