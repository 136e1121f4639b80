// Whether a call may run: the matrix, the rules, and the person whom they ask.

import type { CallId, Granted, PermissionDecided } from '@tidemark/log';
import { byGrants, grantInWords, grantOf } from '../rules/grant.ts';
import type { RuledCall } from '../rules/judge-by-rules.ts';
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
  const beyond = !work.runtime.unconfined && (run.beyond ?? []).length > 0;
  const byMode = judge({ mode, effect, confined, sandboxed, beyond });
  const ruled = (): RuledCall => ({ tool: name, effect, confined, ...(run.acts && { acts: run.acts }) });
  const verdict = underRules(work, byMode, ruled);
  const who = verdict === byMode ? `mode "${mode}"` : 'a rule of the user';
  const asked: CallQuestion = { about: 'call', call, tool: name, effect, title: run.title, rule: verdict.rule };
  if (verdict.decision !== 'asks') return permit(asked, 'rule', verdict.decision, `${who} does not allow it`);
  // A rule that asks goes before any that allows, and so before what was granted.
  const grant = verdict === byMode ? await grantable(work, ruled) : undefined;
  return askPerson(work, `${who} asks a person first`, asked, grant);
}

/** What a call would do is asked of it only where a rule or a grant could look at it. */
function underRules(
  { runtime: { rules = [] }, session: { progress } }: Work,
  byMode: Verdict,
  ruled: () => RuledCall,
): Verdict {
  const verdict = rules.length === 0 ? byMode : judgeByRules(byMode, rules, ruled());
  if (verdict !== byMode || verdict.decision !== 'asks' || progress.granted.length === 0) return verdict;
  const rule = byGrants(progress.granted, ruled());
  return rule === undefined ? verdict : { decision: 'allowed', rule };
}

/** What could be granted; nothing that holds a secret, which the log would not keep as it is. */
async function grantable({ session, runtime }: Work, ruled: () => RuledCall): Promise<Granted | undefined> {
  const grant = runtime.ask === undefined ? undefined : grantOf(ruled());
  const text = JSON.stringify(grant);
  return grant === undefined || (await session.secrets.mask(text)) === text ? grant : undefined;
}

async function askPerson(
  work: Work,
  asks: string,
  asked: CallQuestion,
  grant: Granted | undefined,
): Promise<Permit | undefined> {
  const { runtime, signal } = work;
  if (runtime.ask === undefined) return permit(asked, 'rule', 'denied', `${asks}, and nobody is there to be asked`);
  const question = grant === undefined ? asked : { ...asked, always: grantInWords(grant) };
  try {
    const answer = await unlessAborted(runtime.ask(question, signal), signal);
    if (answer === undefined) return undefined;
    const decision = answer === 'denied' ? 'denied' : 'allowed';
    const permitted = permit(question, 'person', decision, 'the user was asked and refused');
    if (answer !== 'always' || grant === undefined) return permitted;
    return { ...permitted, decided: { ...permitted.decided, always: grant } };
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
