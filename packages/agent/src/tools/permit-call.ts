// Decides whether a call may run: the mode, the rules, what was granted, and the person whom they ask.

import type { CallId, Granted } from '@tidemark/log';
import { byGrants, canGrant, grantInWords, grantOf } from '../rules/grant.ts';
import type { GrantOffer } from '../rules/grant-offer.ts';
import { judgeByRules } from '../rules/judge-by-rules.ts';
import type { RuledCall } from '../rules/ruled-call.ts';
import type { TurnContext } from '../turn/turn-context.ts';
import type { CallAsked, Permit } from './ask-about-call.ts';
import { askAboutCall, permit } from './ask-about-call.ts';
import type { Verdict } from './permissions.ts';
import { judge } from './permissions.ts';
import type { CallRead } from './read-call.ts';
import type { ToolProblem } from './tool.ts';

/**
 * Decides, asking a person where the matrix or a rule says so. Without one, and where asking fails, the call is denied with
 * the reason. A problem means that the call cannot work, so that nobody was asked. `undefined` when the user interrupted:
 * nothing is decided then, and the question is asked again by the next command.
 */
export async function permitCall(
  work: TurnContext,
  call: CallId,
  read: CallRead,
): Promise<Permit | ToolProblem | undefined> {
  const { tool, run } = read;
  const mode = work.session.progress.mode ?? 'read-only';
  const { effect, name } = tool;
  const confined = run.confined ?? true;
  const sandboxed = work.runtime.unconfined || (run.sandboxed ?? false);
  const beyond = !work.runtime.unconfined && (run.beyond ?? []).length > 0;
  const byMode = judge({ mode, effect, confined, sandboxed, beyond });
  const ruled = once((): RuledCall => {
    const { acts } = run;
    return { tool: name, effect, confined, ...(acts !== undefined && { acts }) };
  });
  const verdict = await underRules(work, byMode, ruled);
  const who = verdict === byMode ? `mode "${mode}"` : 'a rule of the user';
  const asked: CallAsked = { about: 'call', call, tool: name, effect, title: run.title, rule: verdict.rule };
  if (verdict.decision !== 'asks')
    return permit(asked, { by: 'rule', decision: verdict.decision }, `${who} does not allow it`);
  const asks = `${who} asks a person first`;
  const { ask } = work.runtime;
  if (ask === undefined)
    return permit(asked, { by: 'rule', decision: 'denied' }, `${asks}, and nobody is there to be asked`);
  // A rule that asks goes before any that allows, and so before what was granted.
  const offer = verdict === byMode ? await offerOf(work, ruled()) : undefined;
  const always = offer?.exact === undefined ? {} : { always: grantInWords(offer.exact) };
  return askAboutCall({ ...work, ask }, read, { ...asked, ...always, ...(offer !== undefined && { offer }) }, asks);
}

/** The acts of a call are asked of its tool only where a rule or a grant looks at them, and then once. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

async function underRules(
  { runtime: { rules = [], grants }, session: { progress } }: TurnContext,
  byMode: Verdict,
  ruled: () => RuledCall,
): Promise<Verdict> {
  const verdict = rules.length === 0 ? byMode : judgeByRules(byMode, rules, ruled());
  if (verdict !== byMode || verdict.decision !== 'asks') return verdict;
  const rule = progress.granted.length === 0 ? undefined : byGrants(progress.granted, ruled());
  if (rule !== undefined) return { decision: 'allowed', rule };
  const kept = await keptOf(grants);
  const byProject = kept.length === 0 ? undefined : byGrants([...progress.granted, ...kept], ruled());
  return byProject === undefined ? verdict : { decision: 'allowed', rule: `${byProject} (project)` };
}

/** Grants that cannot be read allow nothing: the person is asked. */
async function keptOf(grants: TurnContext['runtime']['grants']): Promise<readonly Granted[]> {
  try {
    return (await grants?.kept()) ?? [];
  } catch {
    return [];
  }
}

/** The grants that may be given; none where a grant would hold a secret, which the log does not keep as it is. */
async function offerOf({ session, runtime }: TurnContext, call: RuledCall): Promise<GrantOffer | undefined> {
  if (!canGrant(call)) return undefined;
  const text = JSON.stringify(call.acts);
  if ((await session.secrets.mask(text)) !== text) return undefined;
  const exact = grantOf(call);
  return { call, ...(exact !== undefined && { exact }), project: runtime.grants !== undefined };
}
