// A session at work: the actor that takes commands and gives events. One turn at a time.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import type {
  AnswerPart,
  ContentPart,
  NotificationReceived,
  Position,
  RenderParameters,
  SessionId,
  TurnEnded,
  TurnTotals,
  Usage,
} from '@tidemark/log';
import type { Capabilities, Provider } from '@tidemark/model';
import type { CompactionBy, CompactionReport } from './compaction.ts';
import type { GivenImage } from './image-fitter.ts';
import type { Mode } from './permissions.ts';
import type { SessionEvent } from './session-event.ts';
import type { Tool } from './tool.ts';

/**
 * What somebody says: plain words, or parts. An image may come as its bytes: it is made to fit the model, and kept once. An
 * attachment is shown up to the limit of a tool's result, and kept whole.
 */
export type Words = string | readonly (ContentPart | GivenImage | GivenAttachment)[];

/** Text that comes along with words, such as what was piped in. */
export interface GivenAttachment {
  readonly type: 'attachment';
  /** What the model is told that it is: `stdin`. */
  readonly name: string;
  /** UTF-8. Bytes that are none are replaced, and the model is told so. */
  readonly data: Uint8Array;
}

/** A session that can be told what to do. */
export interface AgentSession {
  readonly id: SessionId;
  readonly mode: Mode;
  /** A turn is open and running here. */
  readonly running: boolean;
  /**
   * Begins a turn; while one runs, waits in line and begins its own after it.
   *
   * @throws AgentError `agent/nothing-to-send`, `agent/unknown-skill`, `agent/no-schema`; the turn `agent/unfit-image`.
   */
  prompt<Output = undefined>(words: Words, options?: PromptOptions<Output>): Turn<Output>;
  /** Goes on with the turn that was cut, failed, interrupted or limited. @throws AgentError `agent/nothing-to-resume`. */
  resume(): Turn;
  /** Says something into the running turn: in the log at once, seen by the model after the step. @throws AgentError `agent/not-running`. */
  steer(words: Words): Promise<void>;
  /** Ends the running turn: what was said is kept, what runs is ended. Nothing to do when none runs. */
  interrupt(): Promise<void>;
  /** A note tells the model. */
  setMode(mode: Mode): Promise<void>;
  /**
   * Other tools, from the next request on. Equal definitions cost nothing: the new handlers serve at once. Others are told
   * to the model behind what it was sent, where it lets itself be told. Where it does not, they open an epoch (`now`, the
   * default), or wait for the one that opens next: until then the model is shown the old list, and a call of a tool that is
   * gone is answered as unavailable.
   */
  setTools(tools: readonly Tool[], options?: { readonly when?: 'now' | 'next-epoch' }): void;
  /**
   * Sets render parameters that say how much the model reasons (`effort`, `thinking`, `reasoning.effort`), from the next
   * request on: appended where the model takes that, else an epoch. In the midst of a turn Anthropic's models heed an
   * appended effort with the next words of the user. The setting holds for the session until it is set again: opened later, it
   * goes before the parameters that the session is opened with.
   *
   * @throws AgentError `agent/unknown-parameter` for a name that the model's row does not have.
   */
  setReasoning(parameters: RenderParameters): void;
  /**
   * A session that begins as this one was up to a record, by default the last closed one: it refers to this log up to there
   * and inherits the epoch in force, so that its first request reads what this one has cached. It is run with what this one
   * is run with now. Nothing is undone: this session stays as it is, and so do the files.
   *
   * @throws AgentError `agent/not-closed` with the nearest closed positions, `agent/no-such-record`.
   */
  fork(options?: AgentForkOptions): Promise<AgentSession>;
  /**
   * Uses another model from the next request on, and returns the session to continue with. A session with a history is forked,
   * so it keeps its model and its cache. A session without one, or with `inPlace`, switches itself. The next request opens an
   * epoch, whose price is recorded, and reported before it is sent if it reaches `rewriteNotice`. Reasoning of the model before
   * is not sent to the new one; its words stay in the log. Betas and the envelope are not sent to another provider. If the
   * provider stays the same, so do its key and its address.
   *
   * @throws AgentError `agent/unknown-model` for a name that no agent can look up; `agent/unknown-price` for a limit of money if
   *   no price is known; `agent/not-closed` for a fork of a session whose end is open. @throws what looks up the name: KitError.
   */
  switchModel(model: string | OtherModel, options?: ModelSwitchOptions): Promise<AgentSession>;
  notify(notification: NotificationReceived): Promise<void>;
  /**
   * Has a context source noted anew, whether its state changed or not: at once while a turn runs, else with the next prompt.
   *
   * @throws AgentError `agent/unknown-source`.
   */
  refresh(source: string): Promise<void>;
  /** A call beside the conversation, on a stream of its own, in the log like any other. */
  side(call: SideCall): Promise<SideAnswer>;
  /**
   * Puts a checkpoint in the place of older history, from the next request on; a refusal is a report with its reason and the
   * sizes. Allowed while a turn runs: its prompts stay as they were said. With `fresh` this session stays as it is: a fork of
   * its last closed record begins that holds the checkpoint alone. It is closed; its id is in the report.
   *
   * @throws AgentError `agent/conflict` when the history was packed anew meanwhile: ask again.
   */
  compact(options?: CompactOptions): Promise<CompactionReport>;
  /** Everything that happens from now on, until the session is closed. */
  events(): AsyncIterable<SessionEvent>;
  /** Ends what runs as interrupted, flushes and gives the lock back. */
  close(): Promise<void>;
}

/** What comes with a prompt. */
export interface PromptOptions<Output = undefined> {
  /**
   * Schema of the answer: any Standard Schema that can be written as JSON Schema, such as one of zod. The prompt asks for JSON, and
   * the finished turn has the value as `output`. The model is asked again, at most twice, if its answer does not match; then the
   * turn ends as `failed` with the code `turn/output-mismatch`.
   */
  readonly output?: StandardSchemaV1<unknown, Output>;
  /** Skills to load with it, by name: each body stands in front of the prompt, whatever the budget is. */
  readonly skills?: readonly string[];
}

/** How a session is forked. */
export interface AgentForkOptions extends ForkOptions {
  /** Model of the fork, by its name or as an object. Default: the model of this session. */
  readonly model?: string | OtherModel;
}

/** How a model is reached if its name is not enough. Keys are those that the agent was made with. */
export interface ModelReach {
  /** Name of the provider, or a provider of the author. Default: the one that serves the model. */
  readonly provider?: string | Provider;
  readonly baseURL?: string;
  /** Tokens of input and output together, for a model that the catalog does not list. */
  readonly contextWindow?: number;
}

/** How a session switches to another model. */
export interface ModelSwitchOptions extends ModelReach {
  /** Switches this session, so that no session keeps the model before. Default: a fork switches. */
  readonly inPlace?: boolean;
}

/** What a session goes on with. */
export interface OtherModel {
  readonly provider: Provider;
  readonly capabilities: Capabilities;
  /** By default those of the model before it. What the new one does not know is no setting of it: it reaches nothing. */
  readonly parameters?: RenderParameters;
}

/** A turn: its events as they come, and its end when awaited. Whoever does not listen loses nothing. */
export interface Turn<Output = undefined> extends AsyncIterable<SessionEvent>, PromiseLike<FinishedTurn<Output>> {}

/** How a turn ended. */
export interface FinishedTurn<Output = undefined> {
  readonly outcome: TurnEnded['outcome'];
  /** Text of its last answer. */
  readonly text: string;
  /** Value of the last answer, if the prompt had `output` and the turn is `completed`. Otherwise `undefined`. */
  readonly output: Output | undefined;
  readonly error: TurnEnded['error'];
  readonly totals: TurnTotals;
  /** Its `turn.ended`. */
  readonly position: Position;
}

/** A call beside the conversation. */
export interface SideCall {
  /** `title`, `summary`: names the stream and is recorded. */
  readonly purpose: string;
  readonly words: Words;
  /** Whether the conversation so far is sent too: then it is read from the cache. */
  readonly history?: 'main' | 'none';
  readonly outputLimit?: number;
  readonly signal?: AbortSignal;
}

/** What a side call came to. */
export interface SideAnswer {
  readonly text: string;
  /** All that was answered; calls in it are not run. */
  readonly parts: readonly AnswerPart[];
  readonly usage: Usage;
  readonly cost: string | undefined;
  /** Its `request.prepared`. */
  readonly request: Position | undefined;
}

/** How to compact. */
export interface CompactOptions {
  /** Most tokens of the history that stay behind the checkpoint. Default: by the window's budgets. */
  readonly tailTokens?: number;
  /**
   * Most tokens of the checkpoint, at least some 600. Default: a tenth of the window and a quarter of what it stands for, or
   * 4,000 where that is more. Never so many that the compaction frees less than a fifth.
   */
  readonly checkpointTokens?: number;
  /** Who writes the checkpoint. Default: as the runtime is set. */
  readonly by?: CompactionBy;
  /** Summarises and starts anew, in a fork. There nothing stands behind the checkpoint, whatever `tailTokens` says. */
  readonly fresh?: boolean;
  /** Nothing is recorded and nobody is asked: the plan alone. */
  readonly dryRun?: boolean;
}

/** Where a fork leaves its session, and what it takes along. */
export interface ForkOptions {
  /**
   * The last record that it keeps: no turn may be open after it. By default the last record with nothing open but its turn, with
   * which the fork goes on.
   */
  readonly at?: number;
  /** Instead of `at`, before a prompt: 1 is the first, -1 the last one. */
  readonly beforePrompt?: number;
  /** Tells the model in short what was done behind that record. */
  readonly summarize?: boolean;
  /** The name of the fork in lists. Default: its parent's name. */
  readonly title?: string;
}
