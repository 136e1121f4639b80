// Port of a context source: something outside the log that the model should know. A source has a revision. Its note is
// recorded only when the revision has changed.

import type { AgentChosen, ContextNoted, EffectClass, SessionId, Timestamp } from '@tidemark/log';
import type { LoggedProcess } from './background-process.ts';
import type { Mode } from './permissions.ts';

/** Cause of a note: `initial`, `changed`, `switched`, `invalidated`, `refreshed` or `compacted-away`. */
export type NoteCause = ContextNoted['cause'];

/** State that a source can read when it is asked for its revision or its text. */
export interface SourceView {
  readonly workspace: string;
  readonly now: Timestamp;
  readonly mode: Mode;
  /**
   * Digest of each file that the session's tools have read or written, by absolute path. `undefined` if the file did
   * not exist after the last of these calls.
   */
  readonly files: ReadonlyMap<string, string | undefined>;
  /** Revision in the last note of this source, in this log or in the logs of its ancestors. */
  readonly noted: string | undefined;
  readonly session: SessionId;
  /** Own agent that the session is. Absent if none was chosen. */
  readonly agent?: AgentChosen;
  /** True if a request was sent before, in this session or in the part that it inherits from its parent. */
  readonly begun: boolean;
  /** Background processes of the session that run, or that ended after the last note of the source `processes`. */
  readonly processes: readonly LoggedProcess[];
  readonly signal: AbortSignal;
}

/** A finished tool call, described by the fields that `affectedBy` needs. */
export interface ToolEffect {
  readonly tool: string;
  readonly effect: EffectClass;
  readonly touches: readonly string[];
}

/** A context source. Its note is recorded only when its revision has changed. */
export interface ContextSource {
  readonly name: string;
  /**
   * True if a changed note is sent with the next request instead of the next prompt. With `always`, this applies to the
   * first note too.
   */
  readonly urgent?: boolean | 'always';
  /** Time limit for the source, in milliseconds. Default: 2,000. */
  readonly patienceMs?: number;
  /**
   * Maximum bytes of a note in the context. A longer note is stored as an artifact, and only its beginning is in the
   * context. Default: 4,096. Maximum: 32,768.
   */
  readonly inlineBytes?: number;
  /**
   * True if a note with the cause `changed` contains only the changes. The last complete note must then also stay in
   * the context.
   */
  readonly tellsChanges?: boolean;
  /**
   * Returns a name for the current state. Equal revisions mean an equal state. `undefined` means that the source has no
   * text now, and its earlier notes are no longer valid.
   */
  revision(view: SourceView): string | undefined | Promise<string | undefined>;
  /**
   * Returns the text of the note for the model. The text is complete. Only a note with the cause `changed` is allowed
   * to contain only the changes.
   */
  render(view: SourceView, cause: NoteCause): string | Promise<string>;
  /**
   * Returns true if the two revisions describe different things, such as two git branches. Returns false if they
   * describe two states of the same thing. If true, the note has the cause `switched` instead of `changed`.
   */
  isAnother?(noted: string, revision: string): boolean;
  /** Returns true if the source must be asked again after a call with this effect. */
  affectedBy(effect: ToolEffect): boolean;
}
