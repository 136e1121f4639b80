// Ports of tools and of tool sources. A tool first reads the arguments of a call. It then returns a run, which contains
// the checked input.

import type { ToolSpec } from '@tidemark/context';
import type { CallId, Digest, EffectClass, EventData, FileTouch, ImagePart, Recorded, SessionId } from '@tidemark/log';
import type { JsonValue } from '@tidemark/model';
import type { EffectKind, CallEffects } from '../rules/ruled-call.ts';
import type { Notice } from './session-event.ts';
import type { SkillsInContext } from './skill-shelf.ts';
import type { SubagentOrder } from './subagent.ts';

/** A tool, as the model and the runtime know it. */
export interface Tool {
  /** Name of the tool: 1 to 64 characters of `[a-zA-Z0-9_-]`. */
  readonly name: string;
  readonly description: string;
  /**
   * JSON Schema of the arguments. The definition in the request consists of the name, the description and this schema.
   * Only a change of the definition invalidates the cache.
   */
  readonly schema: JsonValue;
  /** SHA-256 digests of earlier definitions whose calls all keep their meaning: see `ToolSpec.earlier`. */
  readonly earlier?: readonly string[];
  /**
   * Time at which the tool joins a session that was opened without it, or with another definition, if the model accepts
   * no appended tools. `now`, the default, opens an epoch for it, which writes the history again. With `next-epoch` the
   * tool waits for the next epoch that opens for any reason.
   */
  readonly joins?: 'now' | 'next-epoch';
  readonly effect: EffectClass;
  /**
   * True if a call waits for the calls before it, and the calls after it wait until it ends. Default: true for the
   * effects `write` and `execute`, otherwise false.
   */
  readonly alone?: boolean;
  /**
   * Side of a long output that is cut off. With `end`, the default, the model is shown the beginning of the output.
   * With `start`, it is shown the end.
   */
  readonly truncate?: 'start' | 'end';
  /**
   * True if the output comes from programs that may write control sequences for a terminal. The model is shown the text
   * that a terminal shows: without colours, and with the last state of a line that was overwritten. The stored output
   * stays as it was written. Default: false.
   */
  readonly terminal?: boolean;
  /**
   * Names for the things that a call changes, such as `structure` or `content`. A context source uses them to decide if
   * its note is out of date.
   */
  readonly touches?: readonly string[];
  /**
   * Kinds of effects that the tool's runs describe in `effects`. A rule about another kind is refused. Default: none.
   */
  readonly effectKinds?: readonly EffectKind[];
  /**
   * Returns the tool that a call is for, with its arguments, or a problem. The call then counts as a call of that tool:
   * its effect class, rules, grants and the question to the user are those of the returned tool. Without `forward`, the
   * call is for this tool. `forward` must not do anything else, because the call may still be denied.
   */
  forward?(input: object): ForwardedCall | ToolProblem;
  /** Checks the arguments of a call. `read` must not do anything else, because the call may still be denied. */
  read(input: unknown): ToolRun | ToolProblem | Promise<ToolRun | ToolProblem>;
}

/** Tool that a forwarded call is for, and its arguments. */
export interface ForwardedCall {
  readonly tool: Tool;
  readonly input: object;
}

/** A problem with the arguments. The model receives it as the error of its call. */
export interface ToolProblem {
  readonly problem: string;
}

/** A call with checked arguments, ready to run. */
export interface ToolRun {
  /** One line for the person who is asked for permission: `edit src/tax.js`. */
  readonly title: string;
  /** True if everything that the call changes is inside the workspace. Default: true. */
  readonly confined?: boolean;
  /**
   * True if the call changes a file from which agents take instructions or settings. Mode `accept-edits` asks the user
   * about it. Default: false.
   */
  readonly sensitive?: boolean;
  /** True if the call runs its command in a sandbox. Default: false. */
  readonly sandboxed?: boolean;
  /**
   * Kinds of access that the call requests outside of its sandbox, such as `the network`. If the list is not empty, the
   * user is asked in mode `auto`.
   */
  readonly beyond?: readonly string[];
  /**
   * Everything that the call would do, for permission rules. Contains all effects of each kind in the tool's
   * `effectKinds`.
   */
  readonly effects?: CallEffects;
  /**
   * Returns everything that `run` would do, for the person who is asked for permission. `preview` must not change
   * anything. It is called again after the person answered yes. If the result then differs, the person is asked again.
   * If it throws, the call cannot work: no person is asked, and the call does not run. Without `preview` the person is
   * shown the arguments.
   */
  preview?(context: PreviewContext): Promise<ToolPreview>;
  /**
   * Runs the call. If `run` throws an error, this error becomes the error of the call. The signal of the context aborts
   * when the caller no longer waits for the call.
   */
  run(context: ToolContext): Promise<ToolOutput>;
}

export type PreviewContext = Pick<ToolContext, 'signal' | 'fileSeen'>;

/** Description of the effects of a call, for the person who is asked for permission. */
export interface ToolPreview {
  /** Format of `text`: `diff` is a unified diff, `command` is a shell command, `arguments` is JSON. */
  readonly kind: 'diff' | 'command' | 'arguments';
  /** Complete text. It is not shortened and not masked. It may contain control characters. */
  readonly text: string;
  /**
   * Reason why `text` is incomplete. If the person answers yes, the person also accepts content that no person has
   * seen.
   */
  readonly unseen?: string;
  /**
   * State from which the preview was made, such as the digest of a file. Before `run` changes anything, it compares
   * this state with the current state.
   */
  readonly base?: string;
}

/** Context of a running call. */
export interface ToolContext {
  readonly session: SessionId;
  readonly call: CallId;
  readonly signal: AbortSignal;
  /** Preview for which a person answered yes. Absent if no person was asked. */
  readonly approved?: ToolPreview;
  /**
   * Streams output. The output is stored whole as an artifact. When the result is committed, the output is shortened
   * for the model. Await each call, so that the tool writes no faster than the store (backpressure).
   */
  write(chunk: string | Uint8Array): Promise<void>;
  /**
   * Masks secrets in the same way as the log. Use it before a text is shortened, because a part of a secret is not
   * recognized any more.
   */
  mask(text: string): Promise<string>;
  /** Reports progress to presenters. It never reaches a model. */
  progress(text: string): void;
  /** Sends a notice with a next action for a person to presenters. It never reaches a model. */
  notice(notice: Notice): void;
  /**
   * Returns the last read or write of a file by this session. `path` is absolute. Returns `undefined` for a file that
   * the session has not touched.
   */
  fileSeen(path: string): FileSeen | undefined;
  /** Keeps the bytes of files, so that a person can restore them. Absent if the store keeps no such bytes. */
  readonly undo?: KeptFiles;
  /**
   * Returns the bytes of an output that this log names. `name` is its digest, or at least the first 12 characters of
   * the digest. Returns `undefined` if no output matches, or more than one.
   */
  output(name: string): AsyncIterable<Uint8Array> | undefined;
  readonly history: ToolHistory;
  /** Skills that are in the context when the call begins. */
  readonly skills: SkillsInContext;
  /**
   * Returns the maximum size of the result, including notices, for the current context. A longer result is shortened.
   */
  room(): ResultRoom;
  /** Runs a subagent. Its result becomes the output of this call. Absent if the session starts no subagents. */
  delegate?(order: SubagentOrder): Promise<ToolOutput>;
}

/** Last read or write of a file by the session. */
export interface FileSeen extends FileTouch {
  /**
   * Reason why the context of the model does not contain the whole content of the file. `never-whole`: only a part was
   * shown. `dropped`: a compaction dropped it, or an old result was shortened. Absent if the context contains it.
   */
  readonly missing?: 'never-whole' | 'dropped' | undefined;
}

/** Place for the bytes of a file before a call changes it. A person can restore the file from them. */
export interface KeptFiles {
  /** Maximum size of the bytes of one file. */
  readonly largest: number;
  /**
   * Keeps the bytes. Call it before the change, and record their digest as `FileTouch.before`. If the bytes cannot be
   * kept, a notice is raised, and the call continues.
   */
  keep(bytes: Uint8Array): Promise<void>;
}

/** Maximum size of a result. See `ToolContext.room`. */
export interface ResultRoom {
  readonly bytes: number;
  readonly lines: number;
}

/** Log of the calling session, including the records of its ancestors. It gives no access to other sessions. */
export interface ToolHistory {
  /** Number of records. */
  readonly length: number;
  /** Reads the stored records from `from` (inclusive) to `to` (exclusive), one by one. */
  read(from: number, to: number): AsyncIterable<Recorded>;
  /** Reads the bytes of an image that a record of this log names. */
  artifact(name: Digest): AsyncIterable<Uint8Array>;
}

/** Result of a call. `text` is appended to the output that was written with `write`. */
export interface ToolOutput {
  readonly text?: string;
  /**
   * Creates a text that fits the result. Use it for a text whose end explains how to read further. This end is then not
   * cut off. See `PageMaker`. The page comes after `text` and after output written with `write`. A call that returns a
   * page usually returns no other output.
   */
  readonly page?: PageMaker;
  /** Images to store as artifacts and to show to the model. */
  readonly images?: readonly ToolImage[];
  /** True if the call did not reach its goal. */
  readonly failed?: boolean;
  readonly exit?: number;
  readonly files?: readonly FileTouch[];
  /**
   * Returns the files that the page shows, in addition to `files`. It is called after the page was made, because the
   * part of a file that a page shows depends on its size.
   */
  pageFiles?(): readonly FileTouch[];
  /**
   * Additional facts that result from the call. They are recorded directly after the call's result, in the same append.
   */
  readonly facts?: readonly ToolFact[];
}

/**
 * Returns a text that fits `room`. `measure` returns the size of a text as it will be in the result: with masked
 * secrets, visible control characters, and the runtime's notices. The page maker is called only when the result is
 * committed.
 */
export type PageMaker = (room: ResultRoom, measure: (text: string) => Promise<ResultRoom>) => Promise<string>;

/** A fact that a call may record in addition to its result. If the fact has a `call` field, the runtime fills it in. */
export type ToolFact =
  | { readonly kind: 'skill.loaded'; readonly data: Omit<EventData['skill.loaded'], 'call'> }
  | { readonly kind: 'memory.changed'; readonly data: EventData['memory.changed'] }
  | { readonly kind: 'tool.charged'; readonly data: Omit<EventData['tool.charged'], 'call'> }
  | { readonly kind: 'subagent.ended'; readonly data: EventData['subagent.ended'] };

export interface ToolImage extends Omit<ImagePart, 'type' | 'artifact' | 'bytes'> {
  readonly data: Uint8Array;
}

/**
 * Port of a tool source. Its tools are not built in. They may appear, change or disappear while a session is open. The
 * runtime asks the source before each request and before each batch of calls. The source does not notify the runtime,
 * so the tools do not change within a step. One source serves any number of sessions.
 */
export interface ToolSource {
  /** Waits until the tools are available or the time limit is over. Later calls return immediately. Never throws. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Returns the tools for a session. `shown` contains all tool definitions that the model of this session is shown,
   * including those of other sources. `session` is the session that is asked for. A tool that was already shown keeps
   * its shown definition. If the server of the tool cannot be reached, calls to the tool return an error. The
   * definition changes only if the server removes the tool or a person approves the new definition. If the state has
   * not changed, the source returns the same tool objects.
   */
  offer(shown: readonly ToolSpec[], session?: SessionId): ToolOffer;
  /** Stops everything that the source started. A second call does nothing. */
  close(): Promise<void>;
}

/** Tools that a source offers to a session. */
export interface ToolOffer {
  readonly tools: readonly Tool[];
  /**
   * Changed definitions of tools whose earlier definition was approved. They are not offered until a person approves
   * them.
   */
  readonly held: readonly HeldTool[];
  /** Current problems to report to a person. Each message is reported only one time. */
  readonly troubles: readonly ToolTrouble[];
}

/** A changed tool definition that waits for approval. */
export interface HeldTool {
  readonly name: string;
  /** Earlier definition of this tool: the definition that a model was shown, or the approved definition. */
  readonly was: ToolSpec;
  readonly is: ToolSpec;
  /** Approves exactly this definition. */
  approve(): void;
}

export interface ToolTrouble {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}
