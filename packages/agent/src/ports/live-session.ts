// Port of a live session: it accepts commands and emits events. It runs one turn at a time.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import type {
  AnswerPart,
  ContentPart,
  NotificationReceived,
  Position,
  RenderParameters,
  SessionId,
  Timestamp,
  TurnEnded,
  TurnTotals,
  Usage,
} from '@tidemark/log';
import type { SessionProcesses } from './background-process.ts';
import type { CompactionBy, CompactionReport } from './compaction.ts';
import type { GivenImage } from './image-fitter.ts';
import type { InputBuckets } from './input-buckets.ts';
import type { NextCall } from './next-call.ts';
import type { ForecastOptions, ModelReach, OtherModel } from './other-model.ts';
import type { Mode } from './permissions.ts';
import type { SessionEvent } from './session-event.ts';
import type { Tool } from './tool.ts';
import type { TurnError, TurnLimit } from './turn-error.ts';

/**
 * Content of a prompt: plain text, or parts. An image can be passed as its bytes. It is converted to fit the model and
 * then stored. An attachment is stored whole. The model is shown its beginning, up to the size limit of a tool result.
 */
export type Words = string | readonly (ContentPart | GivenImage | GivenAttachment)[];

/** Text that is attached to a prompt, such as piped input. */
export interface GivenAttachment {
  readonly type: 'attachment';
  /** Name of the attachment, shown to the model: `stdin`. */
  readonly name: string;
  /** UTF-8 text. Invalid bytes are replaced, and the model is informed about this. */
  readonly data: Uint8Array;
}

/** A live session that accepts commands. */
export interface AgentSession {
  readonly id: SessionId;
  readonly mode: Mode;
  /** True if a turn is running in this process. */
  readonly running: boolean;
  /** Background processes of the session. They end when the session is closed. */
  readonly processes: SessionProcesses;
  /**
   * Starts a turn. If another turn is running, the new turn waits in a queue and starts later. The returned turn
   * rejects with `agent/unfit-image` if an image cannot be sent.
   *
   * @throws AgentError `agent/nothing-to-send` for a blank prompt; `agent/unknown-skill` for a skill that is not
   *   installed; `agent/no-schema` for an `output` that cannot be written as JSON Schema.
   */
  prompt<Output = undefined>(words: Words, options?: PromptOptions<Output>): Turn<Output>;
  /**
   * Resumes the turn that was cut off, failed, was interrupted or reached a limit.
   *
   * @throws AgentError `agent/nothing-to-resume` if there is no such turn.
   */
  resume(options?: ResumeOptions): Turn;
  /**
   * Adds a message to the running turn. It is recorded immediately, and the model sees it after the current step.
   *
   * @throws AgentError `agent/not-running` if no turn is running.
   */
  steer(words: Words): Promise<void>;
  /**
   * Interrupts the running turn. Running calls are stopped, and everything recorded so far is kept. Does nothing if no
   * turn is running.
   */
  interrupt(): Promise<void>;
  /** Sets the permission mode. A note informs the model. */
  setMode(mode: Mode): Promise<void>;
  /**
   * Replaces the tools from the next request on. Tools with unchanged definitions cost nothing, and their new handlers
   * are used immediately. If the model supports it, changed definitions are appended to the context. Otherwise they
   * open an epoch with the next request (`now`, the default), or wait until the next epoch opens for another reason
   * (`next-epoch`). While they wait, the model is shown the old list. A call to a removed tool then returns that the
   * tool is unavailable.
   */
  setTools(tools: readonly Tool[], options?: { readonly when?: 'now' | 'next-epoch' }): void;
  /**
   * Sets the render parameters that control how much the model reasons (`effort`, `thinking`, `reasoning.effort`), from
   * the next request on. If the model supports it, the change is appended to the context. Otherwise it opens an epoch.
   * If an effort is appended in the middle of a turn, Anthropic's models apply it only after the next message of the
   * user.
   *
   * The setting is kept for the session until it is set again. When the session is opened later, the setting overrides
   * the parameters passed at opening.
   *
   * @throws AgentError `agent/unknown-parameter` for a name that the model's catalog row does not contain.
   */
  setReasoning(parameters: RenderParameters): void;
  /**
   * Gives the session the role and the tools of an own agent, from the next request on. The model and the reasoning stay.
   * The agent is recorded with its text. The change is appended, or it opens an epoch with a recorded price.
   *
   * @throws AgentError `agent/unknown-agent` if no own agent has this name.
   */
  setAgent(name: string): void;
  /**
   * Opens a fork of this session. The fork begins with this session's records up to a chosen record, by default the
   * last closed record. It refers to the log of this session and inherits the current epoch. Its first request
   * therefore reads the cache entries of this session. The fork uses the current runtime settings of this session. This
   * session and the files do not change.
   *
   * @throws AgentError `agent/not-closed` with the nearest closed positions. With another model, this error is also
   *   thrown if neither `at` nor `beforePrompt` is set and calls at the end of this session are open.
   *   `agent/no-such-record`. Errors about another model as `setModel`.
   */
  fork(options?: AgentForkOptions): Promise<AgentSession>;
  /**
   * Switches this session to another model from the next request on. That request opens an epoch, and the price of the
   * epoch is recorded. If the price reaches `rewriteNotice`, it is reported before the request is sent. Reasoning of
   * the previous model is not sent to the new model, but remains in the log. Betas and the envelope are not sent to
   * another provider. If the provider stays the same, the key and the address also stay the same. To keep this session
   * and its cache unchanged, use `fork({ model })` instead.
   *
   * @throws AgentError `agent/unknown-model` for a name if the runtime cannot look up names; `agent/unknown-price` for
   *   a cost limit if the price of the model is unknown; `agent/bad-argument`.
   * @throws KitError if the agent cannot use the named model.
   */
  setModel(model: string | OtherModel, reach?: ModelReach): Promise<void>;
  notify(notification: NotificationReceived): Promise<void>;
  /**
   * Records the note of a context source again, even if the state of the source did not change. During a turn the note
   * is recorded immediately. Otherwise it is recorded with the next prompt.
   *
   * @throws AgentError `agent/unknown-source`.
   */
  refresh(source: string): Promise<void>;
  /**
   * Sends a side call: a request outside the conversation, on its own stream. It is recorded in the log like any other
   * request. A failed call does not throw. Its answer then has the outcome `failed`, like the end of a failed turn.
   *
   * @throws AgentError `agent/bad-argument`, `agent/nothing-to-send`, `agent/unfit-image`, `agent/closed`.
   */
  side(call: SideCall): Promise<SideAnswer>;
  /**
   * Replaces older history by a checkpoint, from the next request on. A refused compaction returns a report with the
   * reason and the sizes. A compaction may run during a turn. The prompts of that turn are then kept word for word.
   *
   * With `fresh`, this session does not change. Instead, a fork is created after the last closed record, and its
   * context begins with the checkpoint alone. The fork is closed, and its id is in the report.
   *
   * @throws AgentError `agent/conflict` if the history was packed again while the compaction was prepared; try again.
   */
  compact(options?: CompactOptions): Promise<CompactionReport>;
  /**
   * Forecasts the call that a prompt would make now, and its price after the cache entry that it reads has expired. The
   * content of the prompt is `words`, by default a single character. Nothing is sent, recorded or stored. The
   * context sources are asked, as for a prompt, and their notes are part of the forecast. The options are settings that
   * the call would have instead of those of the session. Returns `undefined` while a turn runs.
   *
   * @throws AgentError `agent/closed`; `agent/nothing-to-send` for a blank prompt; `agent/unfit-image` for an image that
   *   cannot be sent; `agent/unknown-kind` if a later version wrote the log.
   */
  forecast(words?: Words, options?: ForecastOptions): Promise<NextCall | undefined>;
  /**
   * Returns the recorded messages of the conversation for a user interface, oldest first. These are the prompts of the
   * user and the answers of the model, including those before a compaction. An answer that is still arriving is not
   * included.
   */
  messages(): AsyncIterable<SessionMessage>;
  /** Returns all events from this moment on, until the session is closed. */
  events(): AsyncIterable<SessionEvent>;
  /** Closes the session: a running turn ends as interrupted, the log is flushed, and the lock is released. */
  close(): Promise<void>;
  /** Closes the session at the end of its block: `await using session = await agent.open()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A message of a conversation. */
export type SessionMessage = UserMessage | AssistantMessage;

/** A prompt, or a message that was added to a running turn. */
interface UserMessage extends PlacedMessage {
  readonly role: 'user';
  /** All parts, such as text, images and attachments. */
  readonly parts: readonly ContentPart[];
}

/** An answer of the model. */
interface AssistantMessage extends PlacedMessage {
  readonly role: 'assistant';
  /** All parts, such as text, reasoning and tool calls. */
  readonly parts: readonly AnswerPart[];
  /** True if the answer was cut off, by the user or by a limit. */
  readonly interrupted?: true;
  /** Limit that cut the answer off. Absent if the user cut it off. */
  readonly limit?: 'time';
}

/** Kind of a part that is not in the text of a message. */
export type OmittedKind = Exclude<(ContentPart | AnswerPart)['type'], 'text'>;

interface PlacedMessage {
  /**
   * Text of the message, without other parts. If `output` added a request to a prompt, the text does not contain that
   * request. Empty for an answer that only calls tools.
   */
  readonly text: string;
  /** Kinds of the parts that `text` leaves out, such as `image`. Absent if `text` is the whole message. */
  readonly omitted?: readonly OmittedKind[];
  /**
   * True if the content is cut: an answer that stopped at the output limit, or an attachment that is too long. `parts`
   * contain only the beginning of such an attachment. Its file part names the artifact with the whole attachment.
   */
  readonly truncated?: true;
  /** Position of its record, for `fork({ at })`. */
  readonly position: Position;
  readonly at: Timestamp;
}

/** Options of a prompt. */
export interface PromptOptions<Output = undefined> {
  /**
   * Schema of the answer: any Standard Schema that can be written as JSON Schema, such as a zod schema. The runtime
   * adds a request for JSON to the prompt. The `output` of the finished turn is the value. If the answer does not
   * match, the model is asked again, at most twice. Then the turn ends as `failed` with the code
   * `turn/output-mismatch`.
   */
  readonly output?: StandardSchemaV1<unknown, Output>;
  /**
   * Signal that interrupts the turn, as `interrupt` does. If it aborts while the turn waits in the queue, the turn is
   * interrupted when it begins.
   */
  readonly signal?: AbortSignal;
  /**
   * Names of skills to load with the prompt. Each body is placed before the prompt, even if the skill budget is
   * exceeded.
   */
  readonly skills?: readonly string[];
}

/** Options of `resume`. */
export type ResumeOptions = Pick<PromptOptions, 'signal'>;

/** Options of a fork of an open session. `provider`, `baseURL` and `contextWindow` belong to the model of the fork. */
export interface AgentForkOptions extends ForkOptions, ModelReach {
  /**
   * Model of the fork, by its name or as an object. Default: the model of this session. If the model is another one,
   * the first request of the fork opens an epoch, and the price of the epoch is recorded. This session keeps its model
   * and its cache.
   */
  readonly model?: string | OtherModel;
}

/**
 * A turn. Iterate over it to receive its events, or await it to receive its end. A turn also runs and is recorded if
 * the caller does neither.
 */
export interface Turn<Output = undefined> extends AsyncIterable<SessionEvent>, Promise<FinishedTurn<Output>> {
  /**
   * Text of the turn's answers in pieces, as it arrives, without reasoning and arguments of tools. It can be read
   * several times and at any time, and each reader gets it from the first piece on. It ends when the turn ends, even if
   * the turn failed. The awaited turn contains the outcome. An empty line separates the texts of two answers. If an
   * attempt fails and the step is sent again, only new text is emitted. If the new text differs from the emitted text,
   * an empty line and the whole new text are emitted.
   */
  readonly textStream: AsyncIterable<string>;
}

export interface FinishedTurn<Output = undefined> {
  readonly outcome: TurnEnded['outcome'];
  /** Text of the turn's last answer. */
  readonly text: string;
  /** Parsed value of the last answer. `undefined` if the prompt had no `output`, or if the turn is not `completed`. */
  readonly output: Output | undefined;
  /** Reason of an outcome other than `completed`. `undefined` for an interrupt. */
  readonly error: TurnError | undefined;
  /** Limit that ended a `limited` turn. `undefined` if no limit ended the turn. */
  readonly limit: TurnLimit | undefined;
  readonly totals: FinishedTotals;
  /** Position of the `turn.ended` record. */
  readonly position: Position;
}

/** Totals of a finished turn. */
export interface FinishedTotals extends TurnTotals {
  /** The tokens of `input` by bucket. Absent if a call did not report its buckets, or if a subagent used tokens. */
  readonly inputBuckets?: InputBuckets;
}

/** A side call: a request outside the conversation. */
export interface SideCall {
  /** Purpose of the call, such as `title` or `summary`. The stream gets this name, and the purpose is recorded. */
  readonly purpose: string;
  readonly prompt: Words;
  /**
   * With `main`, the conversation so far is sent before the prompt and can be read from the cache. With `none`, only
   * the prompt is sent. Default: `none`.
   */
  readonly history?: 'main' | 'none';
  /** Maximum output tokens of the answer. Default: as in the session. */
  readonly maxOutputTokens?: number;
  readonly signal?: AbortSignal;
}

/** Answer of a side call. */
export interface SideAnswer {
  /**
   * Outcome, with the same names as the outcome of a turn. `completed`: the answer is complete. `limited`: the answer
   * was cut off at the output limit, or the call was not sent because of a limit of tokens or cost. `interrupted`: the
   * signal or `close` stopped the call. `failed`: the provider failed or the model refused.
   */
  readonly outcome: TurnEnded['outcome'];
  /** Reason of an outcome other than `completed`, in the same form as the error of a turn. */
  readonly error: TurnError | undefined;
  /** Limit because of which the call was not sent. `undefined` if the call was sent. */
  readonly limit: TurnLimit | undefined;
  /** Text of the answer. Empty if the call has no answer. */
  readonly text: string;
  /** All parts of the answer. Tool calls in it are not run. */
  readonly parts: readonly AnswerPart[];
  /** Tokens as the provider reported them. Empty if the call has no answer. */
  readonly usage: Usage;
  /**
   * All input and output tokens, under the names that a turn's totals use. Absent if the provider did not report them.
   */
  readonly input?: number;
  readonly output?: number;
  /** Input tokens by bucket, under the names that a turn's totals use. Absent if the provider did not report them. */
  readonly inputBuckets?: InputBuckets;
  readonly cost: string | undefined;
  /** Position of the `request.prepared` record. */
  readonly request: Position | undefined;
}

export interface CompactOptions {
  /** Maximum tokens of history that remain after the checkpoint. Default: the `tail` budget of the window. */
  readonly tailTokens?: number;
  /**
   * Maximum tokens of the checkpoint, at least about 600. Default: a tenth of the window or a quarter of the summarized
   * history, whichever is smaller. The default is at least 4,000. If an eighth of the `hard` budget is less than 4,000,
   * this eighth is the minimum. If the compaction would free less than a fifth of the request, the limit is lowered.
   */
  readonly checkpointTokens?: number;
  /** Writer of the checkpoint. Default: `compactionBy` of the runtime. */
  readonly by?: CompactionBy;
  /**
   * True to continue in a new session (a fork) that begins with the checkpoint. The fork keeps no history after the
   * checkpoint, and `tailTokens` is ignored.
   */
  readonly fresh?: boolean;
  /** True to return only the plan. Nothing is recorded and no model is asked. */
  readonly dryRun?: boolean;
}

/** Options of a fork: the record after which it begins, a summary of the omitted records, and a title. */
export interface ForkOptions {
  /**
   * Position of the last record that the fork keeps. No turn may be open after this record. Default: the last record
   * after which nothing is open, or only a turn. If only a turn is open there, the fork resumes that turn.
   */
  readonly at?: number;
  /**
   * Number of a prompt, as an alternative to `at`. The fork begins before this prompt. 1 is the first prompt, -1 the
   * last one.
   */
  readonly beforePrompt?: number;
  /** True to give the model a short summary of the records that the fork omits. */
  readonly summarize?: boolean;
  /** Title of the fork in lists. Default: the title of its parent. */
  readonly title?: string;
}
