// Asks the user about a call. Shows a preview, applies the answer yes only to exactly that preview, and records the
// grant in the answer.

import { defined } from '@tidemark/core';
import type { CallId, Digest, Event, Granted, PermissionDecided } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { unlessAborted } from '../concurrency.ts';
import { messageOf } from '../errors.ts';
import { isWholeGrant } from '../permissions/grant.ts';
import { grantProblem } from '../permissions/read-grant.ts';
import type { Asker, CallQuestion, PermissionAnswer } from '../ports/permissions.ts';
import { isYes, requireAnswer } from '../ports/permissions.ts';
import type { Notice } from '../ports/session-event.ts';
import type { Tool, ToolContext, ToolPreview, ToolProblem, ToolRun } from '../ports/tool.ts';
import { seenFile } from '../session/known-files.ts';
import { newHash } from '../session/materials.ts';
import type { TurnContext } from '../session/turn-context.ts';
import { problemOfPreview, reportBadTool } from './check-run.ts';

/** A call whose arguments were read and that can run. */
export interface CallRead {
  readonly tool: Tool;
  readonly run: ToolRun;
  /** Arguments of the call, parsed from JSON. */
  readonly input: object;
}

/** A permitted call that runs after its events are flushed. */
export interface ReadyCall extends CallRead {
  readonly call: CallId;
  /** Preview that the user approved. `undefined` if no user was asked. */
  readonly approved: ToolPreview | undefined;
}

/** Decision on a call, in the form in which the log records it. If the call is denied, also the text for the model. */
export interface Permit {
  readonly decided: PermissionDecided;
  readonly denial: string | undefined;
  /** Preview that the user approved. The call must do exactly what the preview shows. */
  readonly approved?: ToolPreview;
  /** Notes that hooks added for the model. */
  readonly notes?: readonly Event[];
}

/** Question about a call, without its preview. */
export type CallAsked = Omit<CallQuestion, 'preview' | 'again'>;

/**
 * Reasons for a question: the reason for asking the user, and the reason why the answer `always` would allow only this
 * call.
 */
interface AskReasons {
  readonly asks: string;
  /** Ignored if the question offers a grant for `always`. */
  readonly once: string;
}

type AskableWork = TurnContext & { readonly ask: Asker };

/** Maximum number of questions about one call. It applies if the preview of the call changes after each yes. */
const MAX_QUESTIONS = 5;

/** Longest text of a refusal that the model receives, in characters. */
const MAX_WORDS = 2_000;

/**
 * Asks the user about a call. If the user answers yes, the preview is made again. If it differs, the user is asked
 * again, at most five times. Then the call is denied. Returns the permit. If no preview can be made, returns a problem.
 * If the user interrupted, returns `undefined`.
 */
export async function askAboutCall(
  work: AskableWork,
  read: CallRead,
  asked: CallAsked,
  { asks, once }: AskReasons,
): Promise<Permit | ToolProblem | undefined> {
  let preview = await makePreview(work, read);
  for (let questions = 0; questions < MAX_QUESTIONS; questions += 1) {
    if (preview === undefined || 'problem' in preview) return preview;
    const question = questionAbout(asked, preview, questions > 0);
    const answer = await answerTo(work, question, asks);
    if (answer === undefined || 'decided' in answer) return answer;
    const now = await makePreview(work, read);
    if (now === undefined || 'problem' in now) return now;
    if (previewDigest(now) === previewDigest(preview)) {
      if (answer.given === 'always' && question.offer?.exact === undefined) noticeOnce(work, question, once);
      return allowCall(work, question, answer.given);
    }
    preview = now;
  }
  const why = `its effect changed after each of ${MAX_QUESTIONS} answers`;
  return makePermit(asked, { by: 'rule', decision: 'denied' }, why);
}

/**
 * Returns the question with its preview. It offers no grant if the preview does not show everything, or if the text of
 * the offered grant is not the shown text.
 */
function questionAbout({ offer, always, ...asked }: CallAsked, preview: ToolPreview, again: boolean): CallQuestion {
  const isShown = offer?.exact?.scripts?.every(({ text }) => text === preview.text) ?? true;
  const offered = preview.unseen === undefined && isShown ? defined({ offer, always }) : {};
  return { ...asked, ...offered, preview, ...(again && { again: true }) };
}

/**
 * Returns the answer if it is yes. For any other answer, returns the denial. Returns `undefined` if the user
 * interrupted.
 */
async function answerTo(
  { ask, signal, tell }: AskableWork,
  question: CallQuestion,
  asks: string,
): Promise<{ readonly given: PermissionAnswer } | Permit | undefined> {
  const denied = { decision: 'denied', shown: previewDigest(question.preview) } as const;
  try {
    const given = await unlessAborted(Promise.resolve(ask(question, signal)), signal);
    if (signal.aborted) return undefined;
    const answer = requireAnswer(given);
    if (!isYes(answer)) return refusedBy(question, denied, answer);
    const grant = typeof answer === 'object' && answer.decision === 'allowed' ? answer.always : undefined;
    const wrong = grant === undefined ? undefined : wrongGrant(question, grant);
    if (wrong === undefined) return { given: answer };
    tell({ type: 'notice.raised', notice: badGrant(question, wrong) });
    return makePermit(question, { ...denied, by: 'rule' }, `${asks}, and the answer cannot be used: ${wrong}`);
  } catch (cause) {
    if (signal.aborted) return undefined;
    const message = `asking about the call of "${question.tool}" failed: ${messageOf(cause)}`;
    const notice = { code: 'permissions/ask-failed', message, next: 'The call was denied. Fix `permissions.ask`.' };
    tell({ type: 'notice.raised', notice });
    return makePermit(question, { ...denied, by: 'rule' }, `${asks}, and asking failed: ${messageOf(cause)}`);
  }
}

function badGrant({ tool }: CallQuestion, wrong: string): Notice {
  const message = `the grant in the answer about the call of "${tool}" cannot be used: ${wrong}`;
  const next = 'The call was denied. Answer without a grant, or make the grant with `readGrant`.';
  return { code: 'permissions/bad-grant', message, next };
}

function refusedBy(
  question: CallQuestion,
  denied: Pick<PermissionDecided, 'decision' | 'shown'>,
  answer: PermissionAnswer,
): Permit {
  const refused = makePermit(question, { ...denied, by: 'person' }, 'the user was asked and refused');
  const reason = typeof answer === 'object' && answer.decision === 'denied' ? (answer.reason ?? '').trim() : '';
  if (reason === '') return refused;
  const shortReason = reason.length > MAX_WORDS ? `${reason.slice(0, MAX_WORDS).toWellFormed()}…` : reason;
  return { ...refused, denial: `${refused.denial}\nThe user refused: ${shortReason}` };
}

function wrongGrant({ offer }: CallQuestion, grant: Granted): string | undefined {
  return offer === undefined ? 'no grant was offered' : grantProblem(grant, offer.call);
}

async function allowCall(work: TurnContext, question: CallQuestion, answer: PermissionAnswer): Promise<Permit> {
  const { preview: approved } = question;
  const head = { by: 'person', decision: 'allowed', shown: previewDigest(approved) } as const;
  const grant = await grantIn(work, question, answer);
  return { ...makePermit(question, { ...head, ...grant }, ''), approved };
}

/** Reports that an answer `always` allowed only this call, because the question offered no grant. */
function noticeOnce({ tell }: TurnContext, { tool, offer }: CallAsked, reason: string): void {
  const message = `the answer "always" allowed only this call of "${tool}": ${reason}`;
  const next =
    offer === undefined
      ? 'Show `always` as an answer only if the question has the field `always`.'
      : `Answer { decision: "allowed", always: { tool: "${tool}", folders: ["…"] }, keep: "session" } to allow a folder, or name files in \`paths\`.`;
  tell({ type: 'notice.raised', notice: { code: 'permissions/grant-not-kept', message, next } });
}

/**
 * Returns the grant in the form in which the log records it. If the answer contains no grant, returns an empty object.
 * A grant that contains a secret is dropped. If a grant for the project cannot be stored, it applies to the session.
 * The user gets a notice in both cases.
 */
async function grantIn(
  { runtime, session, tell }: TurnContext,
  { offer }: CallAsked,
  answer: PermissionAnswer,
): Promise<Pick<PermissionDecided, 'always' | 'kept'>> {
  if (answer === 'always') return offer?.exact === undefined ? {} : { always: offer.exact };
  if (typeof answer !== 'object' || answer.decision !== 'allowed') return {};
  const { always, keep = 'session' } = answer;
  if (always === undefined) return {};
  const text = JSON.stringify(always);
  const warn = (message: string, next: string): void =>
    tell({ type: 'notice.raised', notice: { code: 'permissions/grant-not-kept', message, next } });
  const scripts = (always.scripts ?? []).map((one) => one.text);
  const masked = await Promise.all([text, ...scripts].map((one) => session.secrets.mask(one)));
  if (masked.some((one, index) => one !== [text, ...scripts][index])) {
    warn('the grant contains a secret and was not saved', 'The call was allowed once.');
    return {};
  }
  if (keep === 'session') return { always };
  try {
    if (isWholeGrant(always)) throw new Error('a grant for a whole tool applies to one session');
    if (runtime.grants === undefined) throw new Error('this agent does not save grants for a project');
    await runtime.grants.keep(always);
    return { always, kept: 'project' };
  } catch (cause) {
    warn(`the grant was not saved for the project: ${messageOf(cause)}`, 'It applies to this session only.');
    return { always };
  }
}

/** Returns the permit for a decision. The text of a denial names the tool, the reason and the rule. */
export function makePermit(
  { call, tool, effect, rule }: CallAsked,
  decided: Omit<PermissionDecided, 'call' | 'rule'>,
  why: string,
): Permit {
  const denial = `The call of "${tool}" (${effect}) was denied and did not run: ${why} (rule ${rule}). Only the user can change that.`;
  return { decided: { call, rule, ...decided }, denial: decided.decision === 'denied' ? denial : undefined };
}

/**
 * Returns the tool's own preview of a call. If the tool has no `preview`, returns the arguments as JSON. If making the
 * preview fails, returns the problem for the model. Returns `undefined` if the user interrupted.
 */
async function makePreview(
  work: TurnContext,
  { tool, run, input }: CallRead,
): Promise<ToolPreview | ToolProblem | undefined> {
  const { session, signal } = work;
  if (run.preview === undefined) return { kind: 'arguments', text: JSON.stringify(input, undefined, 2) };
  const fileSeen: ToolContext['fileSeen'] = (path) => seenFile(session.progress, path, session.state);
  try {
    const preview = await unlessAborted(Promise.resolve(run.preview({ signal, fileSeen })), signal);
    if (signal.aborted) return undefined;
    const problem = problemOfPreview(preview);
    return problem === undefined ? preview : { problem: await reportBadTool(work, tool.name, problem) };
  } catch (cause) {
    if (signal.aborted) return undefined;
    return { problem: problemOf(work, tool.name, run.confined ?? true, messageOf(cause)) };
  }
}

/** Returns the SHA-256 of all parts of a preview. Equal previews have equal digests. */
export function previewDigest({ kind, text, unseen, base }: ToolPreview): Digest {
  return digest(
    newHash()
      .update(JSON.stringify([kind, text, unseen ?? null, base ?? null]))
      .hex(),
  );
}

/**
 * Returns the problem that the model receives. The tool's message may quote a file. Reading that file was not allowed
 * if the call is not confined to the workspace or if any rule forbids something. In this case the message is replaced.
 */
function problemOf({ runtime: { rules = [] } }: TurnContext, tool: string, confined: boolean, message: string): string {
  if (confined && rules.every(({ decision }) => decision === 'allow')) return message;
  return (
    `The call of "${tool}" did not run, and the user was not asked: it would fail in the current state. Read the file first, if ` +
    'you may; otherwise ask the user.'
  );
}
