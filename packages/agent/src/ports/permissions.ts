// Port for asking a person for permission: the questions and their answers.

import type { ForeseenRewrite, ToolSpec } from '@tidemark/context';
import type { CallId, EffectClass, Granted, ModeChanged } from '@tidemark/log';
import { AgentError } from '../errors.ts';
import type { GrantOffer } from '../rules/ruled-call.ts';
import type { ToolPreview } from './tool.ts';

/**
 * Permission mode of a session. `read-only` allows only calls with the effects `none` and `read`. `ask` asks a person
 * before every other call. `auto` asks only before writes outside the workspace, and before commands and network calls
 * without a sandbox.
 */
export type Mode = ModeChanged['mode'];

/** A question to a person. Its `title` and `rule` are enough to answer yes or no. */
export type Question = CallQuestion | DefinitionQuestion | RewriteQuestion;

/** Asks if a tool call may run. */
export interface CallQuestion {
  readonly about: 'call';
  readonly call: CallId;
  readonly tool: string;
  readonly effect: EffectClass;
  /** One line that describes what the call would do. */
  readonly title: string;
  readonly rule: string;
  /** Everything that the call would do. A yes allows exactly this and nothing else. */
  readonly preview: ToolPreview;
  /** Present if the person already answered yes, but the preview of the call changed afterwards. */
  readonly again?: true;
  /**
   * Commands or targets that the answer `always` would allow for the rest of the session, to be shown with the
   * question: `bash "npm test"`, or `save (every call)` for a tool that reports no commands, paths or hosts. Absent if
   * `always` is not offered.
   */
  readonly always?: string;
  /**
   * Call and exact grant that `readGrant` needs to read a grant that the person types. Absent if no grant is offered.
   */
  readonly offer?: GrantOffer;
}

/**
 * Asks if a tool is accepted with its changed definition. A person has to decide, because the model takes the purpose
 * of a tool from its description.
 */
export interface DefinitionQuestion {
  readonly about: 'definition';
  readonly tool: string;
  /** One line that names the tool and the part of its definition that changed. */
  readonly title: string;
  readonly rule: 'ask/definition';
  readonly was: ToolSpec;
  readonly is: ToolSpec;
}

/** Asks if a step may be sent that has to pay again for content that earlier requests already sent. */
export interface RewriteQuestion {
  readonly about: 'rewrite';
  readonly step: number;
  readonly rewrite: ForeseenRewrite;
  /** One line that names the cause, the tokens and the cost. */
  readonly title: string;
  readonly rule: 'ask/rewrite';
}

/**
 * Answer to a question. `true` and `allowed` are a yes, `false` and `denied` a no, for this call only. `always` is a
 * yes for everything that the question shows in its `always` field. If the question has no `always`, it is a yes for
 * this call only, and a notice contains the reason.
 */
export type PermissionAnswer = boolean | 'allowed' | 'denied' | 'always' | RefusedAnswer | AllowedAnswer;

/** A no with a text for the model. At most 2,000 characters of the text are used. */
export interface RefusedAnswer {
  readonly decision: 'denied';
  readonly words: string;
}

/**
 * A yes with a grant for further calls. A grant that does not cover the call, or covers too much, turns the answer into
 * a no.
 */
export interface AllowedAnswer {
  readonly decision: 'allowed';
  readonly always: Granted;
  /** Duration of the grant. `project` requires a runtime with `grants`. */
  readonly keep: 'session' | 'project';
}

/** Returns true if the answer is a yes. */
export function isYes(answer: PermissionAnswer): boolean {
  if (typeof answer === 'object') return answer.decision === 'allowed';
  return answer === true || answer === 'always' || answer === 'allowed';
}

/**
 * Returns the answer of a callback. A program in JavaScript can return any value, and may forget to return one.
 *
 * @throws AgentError `agent/bad-argument` for a value that is not a `PermissionAnswer`, with the accepted forms. It
 *   counts as a no.
 */
export function requireAnswer(answer: PermissionAnswer | undefined): PermissionAnswer {
  const decision: unknown =
    typeof answer === 'object' && answer !== null && 'decision' in answer ? answer.decision : answer;
  const isKnown =
    typeof answer === 'object' ? DECISIONS.has(decision) : typeof answer === 'boolean' || ANSWERS.has(answer);
  if (answer !== undefined && isKnown) return answer;
  const given =
    typeof answer === 'string' ? JSON.stringify(answer) : answer === null ? 'null' : `a value of type ${typeof answer}`;
  throw new AgentError('agent/bad-argument', `\`permissions.ask\` returned ${given}: return ${FORMS}`);
}

const DECISIONS: ReadonlySet<unknown> = new Set(['allowed', 'denied']);
const ANSWERS: ReadonlySet<unknown> = new Set(['allowed', 'denied', 'always']);
const FORMS =
  'true, false, "allowed", "denied", "always", { decision: "denied", words } or { decision: "allowed", always, keep }';

/**
 * Callback that asks a person. Without it a call is denied and the model is informed that no one could be asked, while
 * a rewrite is only reported.
 */
export type Asker = (question: Question, signal: AbortSignal) => Promise<PermissionAnswer>;
