// Whether a call may run: the matrix, and the person whom it asks.

import type { CallId, PermissionDecided } from '@tidemark/log';
import type { Work } from '../turn/work.ts';
import { messageOf } from './message-of.ts';
import type { CallQuestion, Mode } from './permissions.ts';
import { judge } from './permissions.ts';
import type { CallRead } from './read-call.ts';
import { unlessAborted } from './unless-aborted.ts';

/** A decision as the log keeps it, and where it is a denial, what the model is told. */
export interface Permit {
  readonly decided: PermissionDecided;
  readonly denial: string | undefined;
}

/**
 * Decides, asking a person where the matrix says so. Without one, and where asking fails, that is a denial which says so.
 * `undefined` when the user interrupted while it was being asked.
 */
export async function permitCall(work: Work, call: CallId, { tool, run }: CallRead): Promise<Permit | undefined> {
  const mode = work.session.progress.mode ?? 'read-only';
  const { decision, rule } = judge({
    mode,
    effect: tool.effect,
    confined: run.confined ?? true,
    sandboxed: work.runtime.unconfined || (run.sandboxed ?? false),
  });
  const question: CallQuestion = { about: 'call', call, tool: tool.name, effect: tool.effect, title: run.title, rule };
  if (decision === 'asks') return askPerson(work, mode, question);
  return permit(question, 'rule', decision, `mode "${mode}" does not allow it`);
}

async function askPerson(work: Work, mode: Mode, question: CallQuestion): Promise<Permit | undefined> {
  const { runtime, signal } = work;
  const asks = `mode "${mode}" asks a person first`;
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
