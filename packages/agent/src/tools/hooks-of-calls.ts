// Asks hooks before and after a call, and records their notes.

import type { CallId, Recorded } from '@tidemark/log';
import type { HookDenial, HookNote, HookRound } from '../hooks/ask-hooks.ts';
import { askHooks, hooksFor, sharedInput } from '../hooks/ask-hooks.ts';
import type { AfterToolInput, BeforeToolInput } from '../ports/hooks.ts';
import { commit } from '../session/session.ts';
import type { TurnContext } from '../session/turn-context.ts';
import type { CallAsked, CallRead, Permit, ReadyCall } from './ask-about-call.ts';

/** Longest text of a result that a hook gets, in characters. */
const MAX_RESULT = 20_000;

const NOT_ASKED: HookRound = { denied: undefined, notes: [], interrupted: false };

/**
 * Asks the hooks before a call. A call that has already started was allowed by them before the process stopped. It runs
 * again, and its hooks are not asked a second time.
 */
export async function hooksBeforeTool(work: TurnContext, call: CallId, read: CallRead): Promise<HookRound> {
  const hooks = hooksFor(work, 'before-tool', read.tool.name);
  if (hooks.length === 0 || work.session.progress.startedCalls.has(call)) return NOT_ASKED;
  const { batch } = work.session.state.history;
  // The place of the call is the same after a crash. Call ids can repeat in a session.
  const key = `${batch?.position}.${batch?.calls.findIndex((one) => one.call === call)}`;
  const round = await askHooks(work, hooks, { event: 'before-tool', ...callInput(work, call, read) }, { key });
  return { ...round, notes: round.notes.filter((note) => !isRecorded(work, note)) };
}

/**
 * Returns true if the note was recorded before the process stopped, and the start of its call was not. The hook is then
 * asked again.
 */
function isRecorded({ session }: TurnContext, { data: { source, revision } }: HookNote): boolean {
  return session.progress.lastNotes.get(source)?.revision === revision;
}

/** Returns the permit for a denial by a hook. */
export function denyByHook({ call, tool, effect }: CallAsked, { hook, reason }: HookDenial): Permit {
  const denial = `The call of "${tool}" (${effect}) was denied by the hook "${hook}" and did not run: ${reason}`;
  return { decided: { call, decision: 'denied', by: 'hook', rule: `hook/${hook}` }, denial };
}

/**
 * Asks the hooks after a call whose result is recorded. Each hook gets the text of the record. If the process stops
 * before the hooks have answered, they are not asked again.
 */
export async function hooksAfterTool(work: TurnContext, ready: ReadyCall, records: readonly Recorded[]): Promise<void> {
  const hooks = hooksFor(work, 'after-tool', ready.tool.name);
  const ended = hooks.length === 0 ? undefined : records.find(({ kind }) => /^tool\.(returned|failed)$/.test(kind));
  if (ended?.kind !== 'tool.returned' && ended?.kind !== 'tool.failed') return;
  if (work.signal.aborted) return;
  const text = ended.data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const input: AfterToolInput = {
    event: 'after-tool',
    ...callInput(work, ready.call, ready),
    result: text.slice(0, MAX_RESULT).toWellFormed(),
    ...(text.length > MAX_RESULT && { cut: true }),
    failed: ended.kind === 'tool.failed',
  };
  const { notes } = await askHooks(work, hooks, input, { key: String(ended.position) });
  if (notes.length > 0) await commit(work.session, notes);
}

function callInput(work: TurnContext, call: CallId, { tool, run, input }: CallRead): Omit<BeforeToolInput, 'event'> {
  const { name, effect } = tool;
  return { ...sharedInput(work), call, tool: name, effect, title: run.title, arguments: input };
}
