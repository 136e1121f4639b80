// Port for asking a person for permission: the questions and their answers.

import type { ForeseenRewrite, ToolSpec } from '@tidemark/context';
import type { CallId, EffectClass, Granted, ModeChanged } from '@tidemark/log';
import { AgentError } from '../errors.ts';
import type { GrantOffer } from '../rules/ruled-call.ts';
import type { ToolPreview } from './tool.ts';

/**
 * Permission mode of a session. `read-only` allows only calls with the effects `none` and `read`. `ask` asks a person
 * before every other call. `accept-edits` allows a tool that reports its paths to write inside the workspace, except to
 * files from which agents take instructions or settings, and asks before every other call. `auto` asks only before writes outside the workspace, and before commands and network calls
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
  /** One line that describes the effect of the call. */
  readonly title: string;
  readonly rule: string;
  /** Everything that the call would do. A yes allows exactly this and nothing else. */
  readonly preview: ToolPreview;
  /** Present if the person already answered yes, but the preview of the call changed afterwards. */
  readonly again?: true;
  /**
   * Commands or targets that the answer `always` would allow for the rest of the session. They are shown with the
   * question: `bash "npm test"`, or `save (every call)` for a tool that reports no commands, paths or hosts. Absent if
   * `always` is not offered.
   */
  readonly always?: string;
  /**
   * Call and exact grant. `readGrant` needs them to read a grant that the person types. Absent if no grant is offered.
   */
  readonly offer?: GrantOffer;
}

/**
 * Asks if a tool is accepted with its changed definition. A person has to decide, because the description tells the
 * model the purpose of the tool.
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

/** Asks if a step may be sent. The step is expensive, because content of earlier requests is billed again. */
export interface RewriteQuestion {
  readonly about: 'rewrite';
  readonly step: number;
  readonly rewrite: ForeseenRewrite;
  /** One line that names the cause, the tokens and the cost. */
  readonly title: string;
  readonly rule: 'ask/rewrite';
}

/**
 * Answer to a question. `true` and `allowed` mean yes, `false` and `denied` mean no. Each of them applies only to this
 * call. `always` means yes for everything that the question shows in its `always` field. If the question has no
 * `always`, the answer applies only to this call, and a notice contains the reason.
 */
export type PermissionAnswer = boolean | 'allowed' | 'denied' | 'always' | RefusedAnswer | AllowedAnswer;

/** The answer no, with an optional reason for the model. At most 2,000 characters of the reason are used. */
export interface RefusedAnswer {
  readonly decision: 'denied';
  readonly reason?: string;
}

/**
 * The answer yes, with an optional grant for further calls. If the grant does not cover the call, or covers too much,
 * the answer counts as no.
 */
export interface AllowedAnswer {
  readonly decision: 'allowed';
  readonly always?: Granted;
  /** Duration of the grant. Default: `session`. `project` requires a runtime with `grants`. */
  readonly keep?: 'session' | 'project';
}

/** Returns true if the answer is a yes. */
export function isYes(answer: PermissionAnswer): boolean {
  if (typeof answer === 'object') return answer.decision === 'allowed';
  return answer === true || answer === 'always' || answer === 'allowed';
}

/**
 * Returns the answer of a callback. A program in JavaScript can return any value, and may forget to return one.
 *
 * @throws AgentError `agent/bad-argument` for a value that is not a `PermissionAnswer`, with the accepted forms. The
 *   caller treats such a value as no.
 */
export function requireAnswer(answer: Awaited<ReturnType<Asker>> | undefined): PermissionAnswer {
  if (isWord(answer)) return answer;
  const isForm = typeof answer === 'object' && answer !== null;
  const given = isForm ? problemOfObject(answer) : kindOf(answer);
  if (isForm && given === undefined) return answer;
  throw new AgentError('agent/bad-argument', `\`permissions.ask\` returned ${given}: return ${FORMS}`);
}

function isWord(answer: unknown): answer is boolean | 'allowed' | 'denied' | 'always' {
  return typeof answer === 'boolean' || ANSWERS.has(answer);
}

function kindOf(answer: unknown): string {
  if (typeof answer === 'string') return JSON.stringify(answer);
  return answer === null ? 'null' : `a value of type ${typeof answer}`;
}

function problemOfObject(answer: object): string | undefined {
  const { decision, reason, words, always, keep } = { ...EMPTY, ...answer };
  if (words !== undefined) return '`words`, which was renamed to `reason`';
  if (decision === 'denied')
    return reason === undefined || typeof reason === 'string' ? undefined : 'a `reason` that is not a string';
  if (decision !== 'allowed') return shortObject(answer);
  if (keep !== undefined && keep !== 'session' && keep !== 'project')
    return 'a grant with `keep` that is not "session" or "project"';
  return always === undefined || isGrant(always)
    ? undefined
    : 'a badly formed grant: `always` is { tool } with lists `commands`, `patterns`, `scripts`, `paths`, `folders` or `hosts`';
}

/** Returns the names of an object's fields, and the value of `decision` or `behavior` if it is a short text. */
function shortObject(answer: object): string {
  const fields = Object.entries(answer).map(([name, value]: readonly [string, unknown]) =>
    ['decision', 'behavior'].includes(name) && typeof value === 'string' && value.length <= 20
      ? `${name}: ${JSON.stringify(value)}`
      : name,
  );
  return `{ ${fields.slice(0, 5).join(', ')} }`;
}

const EMPTY: { readonly [field in 'decision' | 'reason' | 'words' | 'always' | 'keep']?: unknown } = {};
const LISTS: readonly string[] = ['patterns', 'paths', 'folders', 'hosts'] satisfies readonly (keyof Granted)[];

/** Returns true for a value in the form of a grant. An unknown field may be a limit, so it is not ignored. */
function isGrant(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('tool' in value) || typeof value.tool !== 'string') return false;
  return Object.entries(value).every(([field, list]: readonly [string, unknown]) => {
    if (field === 'tool' || list === undefined) return true;
    if (field === 'commands') return Array.isArray(list) && list.every(isTexts);
    if (field === 'scripts') return Array.isArray(list) && list.every(isScript);
    return LISTS.includes(field) && isTexts(list);
  });
}

/** Returns true for `{ text, unsandboxed }`. An unknown field may be a limit here too. */
function isScript(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { text, unsandboxed, ...more }: { readonly [name: string]: unknown } = { ...value };
  return typeof text === 'string' && [undefined, true].some((one) => one === unsandboxed) && isEmpty(more);
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

const ANSWERS: ReadonlySet<unknown> = new Set(['allowed', 'denied', 'always']);
const FORMS =
  'true, false, "allowed", "denied", "always", { decision: "denied", reason } or { decision: "allowed", always, keep }';

/**
 * Callback that asks a person. Without it a call is denied, and the model is informed that no one could be asked. A
 * rewrite is then only reported. For `async () => 'denied'` TypeScript infers `Promise<string>` if a callback may also
 * return its answer without a promise. The type therefore accepts any string in a promise. An unknown string counts as
 * no.
 */
export type Asker = (
  question: Question,
  signal: AbortSignal,
) => PermissionAnswer | Promise<PermissionAnswer | (string & {})>;
