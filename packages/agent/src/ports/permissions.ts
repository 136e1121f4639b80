// The port of the person who is asked: the questions, and the answers to them.

import type { ForeseenRewrite, ToolSpec } from '@tidemark/context';
import type { CallId, EffectClass, Granted, ModeChanged } from '@tidemark/log';
import type { GrantOffer } from '../rules/ruled-call.ts';
import type { ToolPreview } from './tool.ts';

/** The permission mode. */
export type Mode = ModeChanged['mode'];

/** What a person is asked; `title` and `rule` say enough for a yes or a no. */
export type Question = CallQuestion | DefinitionQuestion | RewriteQuestion;

/** Whether a tool call may run. */
export interface CallQuestion {
  readonly about: 'call';
  readonly call: CallId;
  readonly tool: string;
  readonly effect: EffectClass;
  /** One line: what the call would do. */
  readonly title: string;
  readonly rule: string;
  /** All that the call would do. A yes is for this, and nothing else runs. */
  readonly preview: ToolPreview;
  /** The question was answered with a yes, and what the call would do changed meanwhile. */
  readonly again?: true;
  /** What `always` would allow for the rest of the session, to be shown with it: `bash "npm test"`. Absent: it cannot be answered. */
  readonly always?: string;
  /** The grants that the answer may carry: `readGrant` reads them. Absent: none. */
  readonly offer?: GrantOffer;
}

/** Whether a tool is taken as its source describes it now: a description is read by the model as what the tool is for. */
export interface DefinitionQuestion {
  readonly about: 'definition';
  readonly tool: string;
  /** One line: the tool, and what of it changed. */
  readonly title: string;
  readonly rule: 'ask/definition';
  readonly was: ToolSpec;
  readonly is: ToolSpec;
}

/** Whether a step goes out that pays again for what was sent before. */
export interface RewriteQuestion {
  readonly about: 'rewrite';
  readonly step: number;
  readonly rewrite: ForeseenRewrite;
  /** One line: the cause, tokens and money. */
  readonly title: string;
  readonly rule: 'ask/rewrite';
}

/** `always` is a yes that holds for what its question shows as `always`; where it shows nothing, for this once. */
export type PermissionAnswer = 'allowed' | 'denied' | 'always' | RefusedAnswer | AllowedAnswer;

/** A no with words for the model: at most 2,000 characters of them are used. */
export interface RefusedAnswer {
  readonly decision: 'denied';
  readonly words: string;
}

/** A yes with a grant beyond this call. A grant that does not cover the call, or covers too much, makes it a denial. */
export interface AllowedAnswer {
  readonly decision: 'allowed';
  readonly always: Granted;
  /** For how long the grant holds. `project` needs a runtime with `grants`. */
  readonly keep: 'session' | 'project';
}

/** Tells whether an answer is a yes. Any value that is no `Answer` is a no. */
export function isYes(answer: PermissionAnswer | undefined): boolean {
  return (typeof answer === 'object' ? answer.decision : answer === 'always' ? 'allowed' : answer) === 'allowed';
}

/** Whoever can be asked. Absent, a call is denied, and the model is told that nobody was there; a rewrite is only said. */
export type Asker = (question: Question, signal: AbortSignal) => Promise<PermissionAnswer>;
