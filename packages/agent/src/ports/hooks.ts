// Port of hooks: code of the user that is asked before and after tool calls, before a prompt, and at the end of a turn.
// A hook can deny a call or a prompt, and it can add a note for the model. It can never allow a call.

import type { CallId, EffectClass, SessionId, TurnEnded, TurnId } from '@tidemark/log';
import type { HookEvent } from './hook-event.ts';
import type { Mode } from './permissions.ts';
import type { Notice } from './session-event.ts';

/**
 * A hook. The hooks of a session are asked one after the other, in the order of `Runtime.hooks`. After a denial no
 * further hook is asked.
 */
export interface Hook {
  /** Name for people, for the log and for the model. */
  readonly name: string;
  readonly on: HookEvent;
  /**
   * Names of the tools whose calls the hook is asked about. `*` in a name matches any text. Default: all tools. Only
   * for `before-tool` and `after-tool`.
   */
  readonly tools?: readonly string[];
  /** Time limit of one run in milliseconds. Default: 10,000. Maximum: 60,000. */
  readonly timeoutMs?: number;
  /**
   * Effect of a failure: an error, an answer of another form, or the end of the time limit. `deny` denies the call or
   * the prompt. `continue` goes on without the hook. Default: `deny` for `before-tool` and `before-prompt`. The other
   * events cannot deny, so they always continue. A failure is reported to the person in each case.
   */
  readonly whenItFails?: 'deny' | 'continue';
  /**
   * Returns the answer of the hook. The signal aborts at the time limit, and when the user interrupts. `undefined` and
   * `{}` mean that the hook has no objection.
   */
  run(input: HookInput, context: HookContext): Promise<HookAnswer | undefined | void> | HookAnswer | undefined | void;
}

/** Context of one run of a hook. */
export interface HookContext {
  readonly signal: AbortSignal;
  /** Sends a notice to the person. It never reaches a model. */
  notice(notice: Notice): void;
}

/** Answer of a hook. */
export interface HookAnswer {
  /** Reason of a denial. The model gets it for a call, and the person for a prompt. Only before a tool or a prompt. */
  readonly deny?: string;
  /** Text for the model. It is recorded with its secrets masked. */
  readonly note?: string;
}

/** Input of a hook. A program gets it as one JSON object. Later versions only add fields. */
export type HookInput = BeforeToolInput | AfterToolInput | BeforePromptInput | TurnEndedInput;

/** Fields of every input. */
interface AnyInput {
  readonly version: 1;
  readonly session: SessionId;
  /** Session that started this session as its subagent. Absent for a session of the user. */
  readonly parent?: SessionId;
  readonly turn: TurnId;
  /** Absolute path of the workspace. */
  readonly workspace: string;
  readonly mode: Mode;
}

/** Fields about a tool call. */
interface CallInput extends AnyInput {
  readonly call: CallId;
  /** Name of the tool that runs. For a call of `tool_call`, it is the tool to which the call is forwarded. */
  readonly tool: string;
  readonly effect: EffectClass;
  readonly title: string;
  /** Arguments exactly as the tool gets them. They are not masked. */
  readonly arguments: object;
}

/** Input before a call. The mode and the rules do not deny the call, and no person was asked yet. */
export interface BeforeToolInput extends CallInput {
  readonly event: 'before-tool';
}

/** Input after a call that ran. */
export interface AfterToolInput extends CallInput {
  readonly event: 'after-tool';
  /** Text of the recorded result: secrets are masked, and a long result is cut. */
  readonly result: string;
  /** True if `result` is only the beginning of the recorded text. */
  readonly cut?: true;
  readonly failed: boolean;
}

/** Input before a prompt is recorded. */
export interface BeforePromptInput extends AnyInput {
  readonly event: 'before-prompt';
  /** Text of the prompt, with masked secrets. */
  readonly prompt: string;
  /** True if the prompt is steered into the running turn. */
  readonly steer?: true;
}

/** Input after the end of a turn was recorded. */
export interface TurnEndedInput extends AnyInput {
  readonly event: 'turn-ended';
  readonly outcome: TurnEnded['outcome'];
  readonly error?: TurnEnded['error'];
  /** Text of the last answer. A long text is cut. */
  readonly text: string;
}
