// The modes and the matrix: what may run, what is asked, what is denied. Pure.

import type { CallId, EffectClass, Granted, ModeChanged } from '@tidemark/log';
import type { ForeseenRewrite, ToolSpec } from '@tidemark/context';
import type { GrantOffer } from '../rules/grant-offer.ts';
import type { ToolPreview } from './tool.ts';

/** The permission mode. */
export type Mode = ModeChanged['mode'];

/** What the matrix is asked. */
export interface Permission {
  readonly mode: Mode;
  readonly effect: EffectClass;
  /** All that it changes lies inside the workspace. */
  readonly confined: boolean;
  /** What is executed runs in a sandbox, or the user has said that it need not. */
  readonly sandboxed: boolean;
  /** The call asks for more than its sandbox gives. */
  readonly beyond?: boolean;
}

/** A verdict, and the cell of the matrix that gave it. */
export interface Verdict {
  readonly decision: 'allowed' | 'denied' | 'asks';
  /** `auto/write/outside`: kept in `permission.decided`. */
  readonly rule: string;
}

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

/** A cell that depends on one thing more: what the rule is then called, and what it says. */
interface Fork {
  readonly if: 'confined' | 'sandboxed';
  readonly met: string;
  readonly unmet: string;
}

type MatrixCell = Verdict['decision'] | Fork;
type MatrixRow = Readonly<Record<EffectClass, MatrixCell>>;

/** Allowed where the condition holds, else a person is asked. */
const INSIDE: Fork = { if: 'confined', met: 'inside', unmet: 'outside' };
const SANDBOXED: Fork = { if: 'sandboxed', met: 'sandboxed', unmet: 'unsandboxed' };

const MATRIX: Readonly<Record<Mode, MatrixRow>> = {
  'read-only': { none: 'allowed', read: 'allowed', write: 'denied', execute: 'denied', network: 'denied' },
  ask: { none: 'allowed', read: 'allowed', write: 'asks', execute: 'asks', network: 'asks' },
  auto: { none: 'allowed', read: 'allowed', write: INSIDE, execute: SANDBOXED, network: SANDBOXED },
};

/** What the matrix says of a call, and by which of its cells. */
export function judge(permission: Permission): Verdict {
  const { mode, effect } = permission;
  const cell = MATRIX[mode][effect];
  const rule = `${mode}/${effect}`;
  if (typeof cell === 'string') return { decision: cell, rule };
  if (cell === SANDBOXED && permission.sandboxed && permission.beyond === true)
    return { decision: 'asks', rule: `${rule}/beyond-sandbox` };
  return permission[cell.if]
    ? { decision: 'allowed', rule: `${rule}/${cell.met}` }
    : { decision: 'asks', rule: `${rule}/${cell.unmet}` };
}

const WIDTH: Readonly<Record<Mode, number>> = { 'read-only': 0, ask: 1, auto: 2 };

/** The mode that allows less: a flag may narrow what the log restores, never widen it. */
export function narrower(a: Mode, b: Mode): Mode {
  return WIDTH[a] <= WIDTH[b] ? a : b;
}
