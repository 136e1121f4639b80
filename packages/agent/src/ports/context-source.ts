// The port of a context source: something outside the log that the model should know, with a revision. A note is recorded
// only when the revision changed.

import type { ContextNoted, EffectClass, Timestamp } from '@tidemark/log';
import type { Mode } from './permissions.ts';

/** Why a note is recorded. */
export type NoteCause = ContextNoted['cause'];

/** What a source is shown when it is asked. */
export interface SourceView {
  readonly workspace: string;
  readonly now: Timestamp;
  readonly mode: Mode;
  /** Digest of each file that the session's tools read or wrote last, by absolute path; absent when it is gone. */
  readonly files: ReadonlyMap<string, string | undefined>;
  /** The revision this source was noted with last, in this log or its ancestors. */
  readonly noted: string | undefined;
  readonly signal: AbortSignal;
}

/** What a call did, as far as a source can care. */
export interface ToolEffect {
  readonly tool: string;
  readonly effect: EffectClass;
  readonly touches: readonly string[];
}

/** A source of context. Its note is recorded only when its revision changed. */
export interface ContextSource {
  readonly name: string;
  /** A note that may not wait for the next prompt. */
  readonly urgent?: boolean;
  /** How long it may take, in milliseconds; 2,000 by default. */
  readonly patienceMs?: number;
  /** Bytes of a note that stand in the context, the rest in an artifact: 4,096 by default, 8,192 at most. */
  readonly inlineBytes?: number;
  /** A note with the cause `changed` tells what changed alone: the last whole one then has to stay in the context too. */
  readonly tellsChanges?: boolean;
  /**
   * Names the state as it is; equal revisions, equal state. `undefined`: there is nothing to say, and what was said before
   * no longer holds.
   */
  revision(view: SourceView): string | undefined | Promise<string | undefined>;
  /** The words for the model, whole unless the cause is `changed`. */
  render(view: SourceView, cause: NoteCause): string | Promise<string>;
  /** Whether the state is that of another thing than the one that was noted, as another branch is: noted as `switched`. */
  isAnother?(noted: string, revision: string): boolean;
  /** Whether it is to be asked again after such a call. */
  affectedBy(effect: ToolEffect): boolean;
}
