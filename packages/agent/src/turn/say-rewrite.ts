// A step that pays again for what was sent before is said first: a notice, and in mode `ask` a question.

import type { ForeseenRewrite } from '@tidemark/context';
import { declined, rewriteInWords } from '../decide/rewrites.ts';
import type { TurnEnding } from '../decide/next-move.ts';
import { messageOf } from '../tools/message-of.ts';
import type { Asker, RewriteQuestion } from '../tools/permissions.ts';
import { isYes } from '../tools/permissions.ts';
import { unlessAborted } from '../tools/unless-aborted.ts';
import type { TurnContext } from './turn-context.ts';

/** Says it, or asks; what is paid because it saves more is said alone. What it returns ends the turn before anything is sent. */
export async function sayRewrite(
  work: TurnContext,
  step: number,
  rewrite: ForeseenRewrite,
): Promise<TurnEnding | undefined> {
  const { session, runtime, tell } = work;
  const asks = session.progress.mode === 'ask' && rewrite.cause !== 'pruning';
  if (asks && runtime.ask !== undefined) return ask(work, runtime.ask, step, rewrite);
  const notice = {
    code: 'turn/rewrite',
    message: rewriteInWords(rewrite),
    next: 'Interrupt to stop before the answer.',
  };
  tell({ type: 'notice.raised', notice });
  return undefined;
}

async function ask(
  { signal }: TurnContext,
  asker: Asker,
  step: number,
  rewrite: ForeseenRewrite,
): Promise<TurnEnding | undefined> {
  const title = rewriteInWords(rewrite);
  const question: RewriteQuestion = { about: 'rewrite', step, rewrite, title, rule: 'ask/rewrite' };
  try {
    const decision = await unlessAborted(asker(question, signal), signal);
    return signal.aborted || isYes(decision) ? undefined : declined(step, rewrite);
  } catch (cause) {
    return signal.aborted ? undefined : declined(step, rewrite, `asking failed: ${messageOf(cause)}`);
  }
}
