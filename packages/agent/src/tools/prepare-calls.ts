// Prepares calls before they run: reads the arguments, decides the permission, and creates the events that record the
// decision and the start.

import { defined } from '@tidemark/core';
import type { CallId, Event, Granted } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { CallPart } from '@tidemark/model';
import { isBlank, parseJson } from '@tidemark/model';
import { unlessAborted } from '../concurrency.ts';
import { abandon } from '../decide/next-move.ts';
import { messageOf } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import { byGrants, canGrant, grantInWords, grantOf, isWholeGrant, whyNoGrant } from '../permissions/grant.ts';
import type { Verdict } from '../permissions/judge.ts';
import { judge, judgeByRules } from '../permissions/judge.ts';
import { listedTools, toolRefusal } from '../permissions/limit-tools.ts';
import type { ForwardedCall, Tool, ToolProblem } from '../ports/tool.ts';
import type { GrantOffer, RuledCall } from '../rules/ruled-call.ts';
import type { TurnContext } from '../session/turn-context.ts';
import type { CallAsked, CallRead, Permit, ReadyCall } from './ask-about-call.ts';
import { askAboutCall, makePermit } from './ask-about-call.ts';
import { problemOfRun, reportBadTool } from './check-run.ts';
import { noticeDefaultMode, noticeNoAsker } from './denial-notices.ts';
import { denyByHook, hooksBeforeTool } from './hooks-of-calls.ts';
import { closeAsFailed, head } from './run-call.ts';

interface PreparedCalls {
  readonly ready: readonly ReadyCall[];
  readonly events: readonly Event[];
}

/**
 * Prepares calls in their order and asks one question at a time. If the user interrupted, returns `undefined`, and no
 * decision is recorded.
 */
export async function prepareCalls(work: TurnContext, calls: readonly CallPart[]): Promise<PreparedCalls | undefined> {
  const ready: ReadyCall[] = [];
  const events: Event[] = [];
  for (const part of calls) {
    const prepared = await prepareCall(work, part);
    if (prepared === undefined) return undefined;
    ready.push(...prepared.ready);
    events.push(...prepared.events);
  }
  return { ready, events };
}

async function prepareCall(work: TurnContext, part: CallPart): Promise<PreparedCalls | undefined> {
  const call = callId(part.call);
  if (isGone(work, part.name)) return { ready: [], events: [abandon(call, 'unavailable', head(work))] };
  const read = await unlessAborted(readCall(work, part), work.signal);
  if (read === undefined) return undefined;
  if ('problem' in read) return { ready: [], events: [await closeAsFailed(work, call, read.problem)] };
  const permit = await permitCall(work, call, read);
  if (permit === undefined) return undefined;
  if ('problem' in permit) return { ready: [], events: [await closeAsFailed(work, call, permit.problem)] };
  const notes = permit.notes ?? [];
  const decided: Event = { ...head(work), kind: 'permission.decided', data: permit.decided };
  // A denial closes the call as an error with the mode and the rule. The fixed text of `tool.abandoned denied` does not
  // contain them. If a model does not know the reason, it repeats the call (L6).
  if (permit.denial !== undefined)
    return { ready: [], events: [decided, ...notes, await closeAsFailed(work, call, permit.denial)] };
  const { name, effect } = read.tool;
  const started: Event = { ...head(work), kind: 'tool.started', data: { call, name, effect } };
  return { ready: [{ ...read, call, approved: permit.approved }], events: [decided, ...notes, started] };
}

/**
 * Returns true if the model was shown a tool that is no longer available, for example because its MCP server
 * disconnected.
 */
function isGone({ runtime, session }: TurnContext, name: string): boolean {
  const isShown = session.state.epoch?.inForce.defined.has(name) ?? false;
  return isShown && !runtime.tools.some((tool) => tool.name === name);
}

/**
 * Returns the tool, the parsed arguments, and the run that the tool made from them. If there is a problem, returns the
 * problem as text for the model. If the author of the tool has to fix the problem, also raises a notice. Never throws.
 */
async function readCall(work: TurnContext, call: CallPart): Promise<CallRead | ToolProblem> {
  const {
    runtime: { tools },
    session: { secrets },
  } = work;
  const called = tools.find(({ name }) => name === call.name);
  if (called === undefined) return { problem: unknownTool(call.name, listedTools(work.runtime)) };
  const given = readArguments(call);
  if ('problem' in given) return given;
  const forwarded = forwardCall(called, given.object);
  if ('problem' in forwarded) return forwarded;
  const { tool, input } = forwarded;
  const refusal = toolRefusal(work.runtime, tool);
  if (refusal !== undefined) return { problem: refusal };
  if (mayWrite(tool) && secrets.holdsPlaceholder(JSON.stringify(input))) {
    return { problem: writesPlaceholder(tool.name) };
  }
  try {
    const run = await tool.read(input);
    if (typeof run === 'object' && run !== null && 'problem' in run) return run;
    const problem = problemOfRun(run);
    if (problem !== undefined) return { problem: await reportBadTool(work, tool.name, problem) };
    return { tool, run, input };
  } catch (cause) {
    await reportBadTool(work, tool.name, `it threw while it read the arguments: ${messageOf(cause)}`);
    return { problem: `The arguments of "${tool.name}" could not be read: ${messageOf(cause)}` };
  }
}

/** Returns the tool that a call is for, and its arguments. Most tools forward nothing. Never throws. */
function forwardCall(called: Tool, input: object): ForwardedCall | ToolProblem {
  try {
    return called.forward?.(input) ?? { tool: called, input };
  } catch (cause) {
    return { problem: `The arguments of "${called.name}" could not be read: ${messageOf(cause)}` };
  }
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name).toSorted();
  if (names.length === 0) return `There is no tool named "${name}", and no other tool: answer without tools.`;
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return `There is no tool named "${name}".${hint} The tools are: ${names.join(', ')}.`;
}

/**
 * Returns the arguments as an object. Empty text counts as `{}`, because some providers stream no text for an empty
 * object.
 */
function readArguments(call: CallPart): { readonly object: object } | ToolProblem {
  const again = `Call "${call.name}" again with one JSON object.`;
  if (isBlank(call.arguments)) return { object: {} };
  let input: unknown;
  try {
    input = parseJson(call.arguments);
  } catch (cause) {
    return { problem: `The arguments are not valid JSON: ${messageOf(cause)}. ${again}` };
  }
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { object: input };
  return { problem: `The arguments are ${nameOfKind(input)}, not an object. ${again}` };
}

function nameOfKind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/**
 * Returns true if the tool may write files. Commands count too, because `cat > .env` is the shortest way to overwrite a
 * key.
 */
function mayWrite({ effect }: Tool): boolean {
  return effect === 'write' || effect === 'execute';
}

function writesPlaceholder(name: string): string {
  return (
    `The arguments of "${name}" contain a placeholder, such as [secret:NAME], that replaces a secret you were not shown. ` +
    'In a file it would replace the secret with its name, so the call did not run. Call again with text that does ' +
    'not include the placeholder: for an edit, text that ends before it or begins after it. To change the secret itself, ' +
    'ask the user.'
  );
}

/**
 * Decides if a call may run. The user is asked if the matrix or a rule requires it. If no user can be asked, or if
 * asking fails, the call is denied with the reason. If the call cannot work, returns a problem without asking the user.
 * If the user interrupted, returns `undefined`. Then nothing is decided, and the next command asks the question again.
 */
async function permitCall(work: TurnContext, call: CallId, read: CallRead): Promise<Permit | ToolProblem | undefined> {
  const { tool, run } = read;
  const mode = work.session.progress.mode ?? 'read-only';
  const { effect, name } = tool;
  const confined = run.confined ?? true;
  const { allowUnsandboxed } = work.runtime;
  const { sandboxed = false } = run;
  const beyond = allowUnsandboxed ? [] : (run.beyond ?? []);
  const edits = (tool.effectKinds ?? []).includes('paths') && run.sensitive !== true;
  const byMode = judge({ mode, effect, confined, edits, sandboxed, allowUnsandboxed, beyond: beyond.length > 0 });
  const ruled = once((): RuledCall => {
    // If a tool reports no effects, `effects` is absent, and a grant can cover all its calls.
    const effects = run.effects ?? ((tool.effectKinds ?? []).length > 0 ? {} : undefined);
    const all = beyond.length > 0 ? { ...effects, beyond: [...beyond, ...(effects?.beyond ?? [])] } : effects;
    return defined({ tool: name, effect, confined, effects: all });
  });
  const verdict = await underRules(work, byMode, ruled);
  const who = verdict === byMode ? `mode "${mode}"` : 'a rule of the user';
  const asked: CallAsked = { about: 'call', call, tool: name, effect, title: run.title, rule: verdict.rule };
  const byModeAlone = verdict === byMode;
  if (verdict.decision === 'denied' && byModeAlone) noticeDefaultMode(work, { tool: name, effect, mode });
  if (verdict.decision === 'denied')
    return makePermit(asked, { by: 'rule', decision: 'denied' }, `${who} does not allow it`);
  const asks = `${who} requires the user to confirm it`;
  const { ask } = work.runtime;
  if (verdict.decision === 'asks' && ask === undefined) {
    if (byModeAlone) noticeNoAsker(work, { tool: name, effect, mode });
    return makePermit(asked, { by: 'rule', decision: 'denied' }, `${asks}, and no user can be asked`);
  }
  // Hooks are asked before the user. A call that the mode or a rule denies is not shown to them.
  const hooked = await hooksBeforeTool(work, call, read);
  if (hooked.interrupted) return undefined;
  const { denied, notes } = hooked;
  if (denied !== undefined) return { ...denyByHook(asked, denied), notes };
  if (verdict.decision === 'allowed' || ask === undefined)
    return { ...makePermit(asked, { by: 'rule', decision: 'allowed' }, ''), notes };
  // If a rule asks, no grant is offered. Such a rule has priority over rules that allow, and also over grants.
  const offer = verdict === byMode ? await offerOf(work, ruled()) : undefined;
  const always = offer?.exact === undefined ? {} : { always: grantInWords(offer.exact) };
  const why = { asks, once: byModeAlone ? whyNoGrant(ruled()) : 'a rule asks about each such call' };
  const permit = await askAboutCall({ ...work, ask }, read, { ...asked, ...always, ...defined({ offer }) }, why);
  return permit === undefined || 'problem' in permit ? permit : { ...permit, notes };
}

/**
 * Calls `make` when the result is first needed, and keeps the result. The tool is asked for the effects of a call only
 * if a rule or a grant needs them.
 */
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
  const rule = progress.sessionGrants.length === 0 ? undefined : byGrants(progress.sessionGrants, ruled());
  if (rule !== undefined) return { decision: 'allowed', rule };
  const kept = await keptOf(grants);
  const byProject = kept.length === 0 ? undefined : byGrants([...progress.sessionGrants, ...kept], ruled());
  return byProject === undefined ? verdict : { decision: 'allowed', rule: `${byProject} (project)` };
}

/**
 * Returns the grants of the project. If the grants cannot be read, they allow nothing, so the user is asked. A grant
 * for a whole tool applies only to one session, so the project cannot give it.
 */
async function keptOf(grants: TurnContext['runtime']['grants']): Promise<readonly Granted[]> {
  try {
    return ((await grants?.kept()) ?? []).filter((grant) => !isWholeGrant(grant));
  } catch {
    return [];
  }
}

/**
 * Returns the grants to offer to the user. Returns `undefined` if no grant is possible for this call. Also returns
 * `undefined` if a grant would contain a secret, because the log cannot record a secret unmasked.
 */
async function offerOf({ session, runtime }: TurnContext, call: RuledCall): Promise<GrantOffer | undefined> {
  if (!canGrant(call)) return undefined;
  // The script is checked as it is too, because JSON writes quotes and line ends in another way.
  for (const text of [JSON.stringify(call.effects ?? {}), call.effects?.commands?.script ?? ''])
    if ((await session.secrets.mask(text)) !== text) return undefined;
  const exact = grantOf(call);
  const whole = exact !== undefined && isWholeGrant(exact);
  return defined({ call, exact, project: runtime.grants !== undefined && !whole });
}
