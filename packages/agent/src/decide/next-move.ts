// What a turn does next, by the log alone: a process that opens the log later decides the same.

import type { AnswerReceived, TurnEnded } from '@tidemark/log';
import { itemAt } from '@tidemark/context';
import type { MainRequest, Progress } from '../session/progress.ts';
import { cutCall, stoppedAtLimit } from './cut-calls.ts';
import type { Folded } from './recover.ts';

/** How a turn ends, as its record says it. */
export type TurnEnding = Pick<TurnEnded, 'outcome' | 'error'>;

/** The next move. `say`: the runtime tells the model something, in the log like anything else (L1). */
export type NextMove =
  | { readonly do: 'run-calls' }
  | { readonly do: 'ask' }
  | { readonly do: 'say'; readonly words: string }
  /** The window was full before the answer was: the history is to be compacted before anything is asked. */
  | { readonly do: 'make-room' }
  | { readonly do: 'end'; readonly ending: TurnEnding };

/** How often in a row an answer may stop at the output limit. */
const MOST_CUTS = 3;

const GO_ON = 'The last turn ended before its work was done. Go on from where it stopped.';

/** Decides. */
export function nextMove({ state, progress }: Folded): NextMove {
  if (state.history.batch !== undefined) return { do: 'run-calls' };
  const { asked } = progress;
  const answer = asked?.answer;
  if (asked === undefined || answer === undefined) return endsWithAnswer(state) ? { do: 'say', words: GO_ON } : ASK;
  if (answer.stop === 'window' && (state.compacted?.position ?? -1) < asked.answeredAt) return { do: 'make-room' };
  const words = continuation(asked, answer, progress);
  if (words !== undefined) return progress.cuts > MOST_CUTS ? tooOftenCut() : { do: 'say', words };
  if (progress.said > asked.position || answer.stop === 'pause' || makesCalls(answer)) return ASK;
  return { do: 'end', ending: endingOf(answer) };
}

const ASK: NextMove = { do: 'ask' };

/** A provider may take a request that ends with an answer for one to be continued in mid-sentence. */
function endsWithAnswer({ history: { packed } }: Folded['state']): boolean {
  return itemAt(packed, -1)?.role === 'assistant';
}

function makesCalls({ parts }: AnswerReceived): boolean {
  return parts.some((part) => part.type === 'call');
}

/** What is said to a model whose answer was cut, once; nothing when its last call was whole: that one has its result. */
function continuation({ answeredAt }: MainRequest, answer: AnswerReceived, { told }: Progress): string | undefined {
  if (!stoppedAtLimit(answer) || told > answeredAt) return undefined;
  const cut = cutCall(answer);
  if (cut === undefined && makesCalls(answer)) return undefined;
  const what =
    cut === undefined ? '' : ' The last call was incomplete and did not run: make it again, in smaller pieces.';
  const why =
    answer.stop === 'window' ? 'as the window was full; there is room now, behind a checkpoint' : 'at the output limit';
  return `Your last answer was cut ${why}.${what} Go on from exactly where it stopped.`;
}

function tooOftenCut(): NextMove {
  const error = {
    code: 'turn/output-limit',
    message: `the answer was cut at the output limit ${MOST_CUTS + 1} times in a row`,
    next: 'Raise the output limit, or ask for the work in smaller pieces; resume goes on.',
  };
  return { do: 'end', ending: { outcome: 'failed', error } };
}

function endingOf({ stop }: AnswerReceived): TurnEnding {
  if (stop !== 'refusal') return { outcome: 'completed' };
  const message = 'the model refused to answer';
  const next = 'Say it in other words: the session is intact.';
  return { outcome: 'failed', error: { code: 'turn/refused', message, next } };
}
