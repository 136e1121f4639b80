// Which calls of an answer were cut: the output limit, or the window's end, came before the end of their arguments. They are never run.

import type { AnswerReceived, CallId } from '@tidemark/log';

/** Whether the answer stopped where its author did not want to. */
export function stoppedAtLimit({ stop, truncated }: AnswerReceived): boolean {
  return stop === 'length' || stop === 'window' || truncated === 'yes';
}

/** The call whose arguments were cut: only the last one of an answer can be. */
export function cutCall(answer: AnswerReceived): CallId | undefined {
  if (!stoppedAtLimit(answer)) return undefined;
  const last = answer.parts.findLast((part) => part.type === 'call');
  return last === undefined || isJson(last.arguments) ? undefined : last.call;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
