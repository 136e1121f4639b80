// The ports of tools and of tool sources: what the runtime asks of them, whoever wrote them. Arguments are read when a call
// comes in, and what then runs knows its own input.

import type { ToolSpec } from '@tidemark/context';
import type { CallId, Digest, EffectClass, EventData, FileTouch, ImagePart, Recorded, SessionId } from '@tidemark/log';
import type { JsonValue } from '@tidemark/model';
import type { EffectKind, CallEffects } from '../rules/ruled-call.ts';
import type { Notice } from './session-event.ts';
import type { SkillsInContext } from './skill-shelf.ts';
import type { SubagentOrder } from './subagent.ts';

/** A tool as the model and the runtime know it. */
export interface Tool {
  /** 1 to 64 of `[a-zA-Z0-9_-]`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. With name and description it is the fingerprint: only these bytes cost a cache. */
  readonly schema: JsonValue;
  readonly effect: EffectClass;
  /** Whether a call waits for those before it and holds up those behind it. By default `write` and `execute` do. */
  readonly alone?: boolean;
  /** End of a long output that is cut off. Default: `end`, so the model is shown the beginning. */
  readonly truncate?: 'start' | 'end';
  /** Names what its effect touches, for context sources: `structure`, `content`. */
  readonly touches?: readonly string[];
  /** What its runs tell as `acts`: a rule on anything else is refused. Nothing by default. */
  readonly effectKinds?: readonly EffectKind[];
  /** Reads the arguments. Does nothing else: a call may be denied after it. */
  read(input: unknown): ToolRun | ToolProblem | Promise<ToolRun | ToolProblem>;
}

/** Arguments that cannot be used: said to the model as the error of its call. */
export interface ToolProblem {
  readonly problem: string;
}

/** A call with its arguments read, ready to run. */
export interface ToolRun {
  /** One line for the person who is asked: `edit src/tax.js`. */
  readonly title: string;
  /** Whether all that it changes lies inside the workspace. Absent is true. */
  readonly confined?: boolean;
  /** Whether what it executes runs in a sandbox. Absent is false. */
  readonly sandboxed?: boolean;
  /** What the call asks for beyond its sandbox, in words: `the network`. With any of it, mode `auto` asks a person. */
  readonly beyond?: readonly string[];
  /** What the call would do, as rules look at it: all of each kind that the tool tells. */
  readonly effects?: CallEffects;
  /**
   * Shows all that `run` would do, for a person who is asked; it changes nothing. It is made again after a yes, and the person is
   * asked again when it differs. What it throws means that the call cannot work: then nobody is asked and it does not run.
   * Without it a person is shown the arguments.
   */
  preview?(context: PreviewContext): Promise<ToolPreview>;
  /** Does the work. What it throws becomes the error of the call; `signal` aborting is the caller giving up on it. */
  run(context: ToolContext): Promise<ToolOutput>;
}

/** What a preview is made with. */
export type PreviewContext = Pick<ToolContext, 'signal' | 'fileSeen'>;

/** What a call would do, for the person who is asked. */
export interface ToolPreview {
  /** `diff`: a unified diff; `command`: a command of a shell; `arguments`: JSON. */
  readonly kind: 'diff' | 'command' | 'arguments';
  /** All of it, as it is: nothing is cut or masked, and it may hold control characters. */
  readonly text: string;
  /** Why `text` does not hold all of it: a yes would then accept what nobody saw. */
  readonly unseen?: string;
  /** The state that it was made from, such as the digest of a file. `run` compares it before it changes anything. */
  readonly base?: string;
}

/** What a running call is given. */
export interface ToolContext {
  readonly session: SessionId;
  readonly call: CallId;
  readonly signal: AbortSignal;
  /** The preview to which a person said yes. Absent when no person was asked. */
  readonly approved?: ToolPreview;
  /** Streams output: kept whole as an artifact, shaped once when the result is committed. Await it: that is the backpressure. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Replaces secrets as the log would. For a text that is cut before it is returned: a part of a token has no known shape. */
  mask(text: string): Promise<string>;
  /** Says how far it is, to whoever watches. Never reaches a model. */
  progress(text: string): void;
  /** Tells the person who watches of something to act on. Never reaches a model. */
  notice(notice: Notice): void;
  /** What this session last read or wrote of a file, by absolute path. */
  fileSeen(path: string): FileTouch | undefined;
  /**
   * The bytes of an output that this log names, by its digest or the first 12 characters of it or more; `undefined` when
   * there is none, or more than one.
   */
  output(name: string): AsyncIterable<Uint8Array> | undefined;
  readonly history: ToolHistory;
  /** Skills that stand before the model when the call begins. */
  readonly skills: SkillsInContext;
  /** How much the result may show whole as the context stands now, notices included: what is longer is cut. */
  room(): ResultRoom;
  /** Has a subagent do a task; what it comes to is the output of this call. Absent where the session starts none. */
  delegate?(order: SubagentOrder): Promise<ToolOutput>;
}

/** See `ToolContext.room`. */
export interface ResultRoom {
  readonly bytes: number;
  readonly lines: number;
}

/** The log of the session that calls, its ancestors' records included. No other session can be reached through it. */
export interface ToolHistory {
  /** How many records it holds. */
  readonly length: number;
  /** Records `from` (inclusive) to `to` (exclusive), one by one, as they are kept. */
  read(from: number, to: number): AsyncIterable<Recorded>;
  /** The bytes of an image that a record of it names. */
  artifact(name: Digest): AsyncIterable<Uint8Array>;
}

/** What a call came to. Text is added to what was written. */
export interface ToolOutput {
  readonly text?: string;
  /**
   * Makes the text to fit the result, so that its end, which says how to read on, is not cut off: see `PageMaker`. The text
   * is added after `text` and what was written; a call that returns a page has neither, as a rule.
   */
  readonly page?: PageMaker;
  /** Bytes to keep as artifacts, once each, and to show as images. */
  readonly images?: readonly ToolImage[];
  /** The call did not do what it was asked. */
  readonly failed?: boolean;
  readonly exit?: number;
  readonly files?: readonly FileTouch[];
  /** What came to be by the call beside its words: recorded right behind its closing, in the same append. */
  readonly facts?: readonly ToolFact[];
}

/**
 * Returns a text that fits `room`. `measure` returns the size of a text as the result shows it: with secrets masked, control
 * characters drawn, and the notices that the runtime adds. Called once, when the result is committed.
 */
export type PageMaker = (room: ResultRoom, measure: (text: string) => Promise<ResultRoom>) => Promise<string>;

/** A fact of its own kind that a call may bring about. The runtime adds the call where the fact names one. */
export type ToolFact =
  | { readonly kind: 'skill.loaded'; readonly data: Omit<EventData['skill.loaded'], 'call'> }
  | { readonly kind: 'memory.changed'; readonly data: EventData['memory.changed'] }
  | { readonly kind: 'subagent.ended'; readonly data: EventData['subagent.ended'] };

/** An image that a call returns. */
export interface ToolImage extends Omit<ImagePart, 'type' | 'artifact' | 'bytes'> {
  readonly data: Uint8Array;
}

/**
 * The port of a tool source: tools that come from elsewhere while a session is open, and may change or go there. It
 * is asked before each request and before each batch of calls, so nothing has to be pushed, and nothing moves inside
 * a step. One source serves any number of sessions.
 */
export interface ToolSource {
  /** Ends when its tools are there, or its patience is over; at once from then on. Never throws. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * The tools for a session that is shown these definitions of any origin. What it offers under a shown name keeps the
   * definition that was shown, its call answered with an error while nobody can serve it, unless its maker took the tool
   * back or a changed definition was approved. Equal state, equal tools: the same objects.
   */
  offer(shown: readonly ToolSpec[]): ToolOffer;
  /** Ends what it started. A second call does nothing. */
  close(): Promise<void>;
}

/** What a source has for a session. */
export interface ToolOffer {
  readonly tools: readonly Tool[];
  /** Definitions that are other ones than those approved under their names: not offered until somebody says so. */
  readonly held: readonly HeldTool[];
  /** What a person should know of it now: told once for each message. */
  readonly troubles: readonly ToolTrouble[];
}

/** A definition that waits for a person. */
export interface HeldTool {
  readonly name: string;
  /** What is known under this name: what a model was shown, or what was approved. */
  readonly was: ToolSpec;
  readonly is: ToolSpec;
  /** Takes this very definition. */
  approve(): void;
}

/** Something that is wrong with a source, and the next step. */
export interface ToolTrouble {
  readonly code: string;
  readonly message: string;
  readonly next: string;
}
