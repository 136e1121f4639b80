// Whether a call may run: the matrix, the rules, and the person whom they ask.

import type { CallId, PermissionDecided } from '@tidemark/log';
import { judgeByRules } from '../rules/judge-by-rules.ts';
import type { Work } from '../turn/work.ts';
import { messageOf } from './message-of.ts';
import type { CallQuestion, Verdict } from './permissions.ts';
import { judge } from './permissions.ts';
import type { CallRead } from './read-call.ts';
import { unlessAborted } from './unless-aborted.ts';

/** A decision as the log keeps it, and where it is a denial, what the model is told. */
export interface Permit {
  readonly decided: PermissionDecided;
  readonly denial: string | undefined;
}

/**
 * Decides, asking a person where the matrix or a rule says so. Without one, and where asking fails, that is a denial which
 * says so. `undefined` when the user interrupted while it was being asked: nothing was decided then, and it is asked again.
 */
export async function permitCall(work: Work, call: CallId, { tool, run }: CallRead): Promise<Permit | undefined> {
  const mode = work.session.progress.mode ?? 'read-only';
  const { effect, name } = tool;
  const confined = run.confined ?? true;
  const sandboxed = work.runtime.unconfined || (run.sandboxed ?? false);
  const byMode = judge({ mode, effect, confined, sandboxed });
  const verdict = underRules(work, byMode, { tool, run });
  const who = verdict === byMode ? `mode "${mode}"` : 'a rule of the user';
  const question: CallQuestion = { about: 'call', call, tool: name, effect, title: run.title, rule: verdict.rule };
  return settle(work, question, verdict.decision, who);
}

/** What a call would do is asked of it only where a rule could look at it. */
function underRules({ runtime: { rules = [] } }: Work, byMode: Verdict, { tool, run }: CallRead): Verdict {
  if (rules.length === 0) return byMode;
  const { acts, confined = true } = run;
  return judgeByRules(byMode, rules, { tool: tool.name, effect: tool.effect, confined, ...(acts && { acts }) });
}

async function settle(
  work: Work,
  question: CallQuestion,
  decision: Verdict['decision'],
  who: string,
): Promise<Permit | undefined> {
  if (decision === 'asks') return askPerson(work, `${who} asks a person first`, question);
  return permit(question, 'rule', decision, `${who} does not allow it`);
}

async function askPerson(work: Work, asks: string, question: CallQuestion): Promise<Permit | undefined> {
  const { runtime, signal } = work;
  if (runtime.ask === undefined) return permit(question, 'rule', 'denied', `${asks}, and nobody is there to be asked`);
  try {
    const decision = await unlessAborted(runtime.ask(question, signal), signal);
    return decision && permit(question, 'person', decision, 'the user was asked and refused');
  } catch (cause) {
    if (signal.aborted) return undefined;
    return permit(question, 'rule', 'denied', `${asks}, and asking failed: ${messageOf(cause)}`);
  }
}

function permit(
  { call, tool, effect, rule }: CallQuestion,
  by: PermissionDecided['by'],
  decision: PermissionDecided['decision'],
  why: string,
): Permit {
  const denial = `The call of "${tool}" (${effect}) was denied and did not run: ${why} (rule ${rule}). Only the user can change that.`;
  return { decided: { call, decision, by, rule }, denial: decision === 'denied' ? denial : undefined };
}
