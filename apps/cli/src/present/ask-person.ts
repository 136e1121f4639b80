// Asks the user at the terminal. Shows everything that the user must know for the decision, page by page if it is long.
// Requires a clear answer.

import type { PermissionAnswer, Question } from '@tidemark/kit';

import { foldLine } from './fold-line.ts';
import type { Input } from '../frame/input.ts';
import { markedText } from './marked-text.ts';
import { hanging, questionText } from './question-text.ts';
import type { PersonReply } from './read-reply.ts';
import { readReply } from './read-reply.ts';
import { isTooSmall, noticeRows, showPaged, TOO_SMALL } from './show-paged.ts';

/** Terminal on which a question is asked, and the signal that aborts it. */
export interface PersonPrompt {
  readonly input: Input;
  readonly signal: AbortSignal;
}

/**
 * Number of unclear answers after which a question counts as denied. The same number applies to requests for a grant
 * that is not possible.
 */
const MAX_UNCLEAR = 2;
const MAX_REFUSED = 5;

/**
 * Asks the user. The call is denied if the user stops at a page, if the question is aborted, or if there is no clear
 * "yes".
 */
export async function askPerson(question: Question, asking: PersonPrompt): Promise<PermissionAnswer> {
  try {
    return await answerFrom(question, asking);
  } catch (error) {
    if (asking.signal.aborted) return 'denied';
    throw error;
  }
}

async function answerFrom(question: Question, asking: PersonPrompt): Promise<PermissionAnswer> {
  const text = questionText(question, asking.input.columns);
  const first = { above: [...text.head, ...text.body], again: text.head, asked: text.answers, prompt: text.prompt };
  let typed = await askBelow(first, asking);
  for (let [unclear, refused] = [0, 0]; typed !== undefined;) {
    const reply = replyTo(question, typed);
    if (reply !== 'unclear' && 'answer' in reply) return reply.answer;
    if (reply === 'unclear') unclear += 1;
    else refused += 1;
    if (unclear >= MAX_UNCLEAR || refused >= MAX_REFUSED) return 'denied';
    const why = reply === 'unclear' ? 'This is not one of the answers.' : `${markedText(reply.problem)}.`;
    const next = { above: hanging(why, asking.input.columns), again: [], asked: text.answers, prompt: text.prompt };
    typed = await askBelow(next, asking);
  }
  return 'denied';
}

/** Rows of a question. Every row except the prompt fits into the width of the terminal. */
interface QuestionRows {
  readonly above: readonly string[];
  /**
   * Rows of `above` that are shown again next to the answers. They are used if the answers are on a later page than
   * `above`.
   */
  readonly again: readonly string[];
  readonly asked: readonly string[];
  readonly prompt: string;
}

/**
 * Asks a question. Every row is shown before the user can answer. If the question does not fit on the screen, it is
 * shown page by page. If necessary, the answers are on these pages too. Returns `undefined` if the user stopped at a
 * page or the terminal is too small.
 */
export async function askBelow(
  { above, again, asked, prompt }: QuestionRows,
  { input, signal }: PersonPrompt,
): Promise<string | undefined> {
  if (isTooSmall(input)) {
    input.show(TOO_SMALL);
    return undefined;
  }
  const promptLines = foldLine(prompt, Math.max(1, input.columns - 1));
  const promptRows = promptLines.length;
  if (promptRows + noticeRows(input) > input.rows)
    return askBelow(
      { above: [...above, ...asked, ...promptLines], again: [], asked: [], prompt: SHORT },
      { input, signal },
    );
  const fits = (rows: number): boolean => rows + promptRows + noticeRows(input) <= input.rows;
  const ask = (rows: readonly string[]): Promise<string> => input.ask([...rows, prompt].join('\n'), signal);
  if (fits(above.length + asked.length)) return ask([...above, ...asked]);
  const question = [...again, ...asked];
  const isPaged = !fits(question.length);
  const below = promptRows + (isPaged ? 0 : question.length);
  const shown = await showPaged(isPaged ? [...above, ...asked] : above, { input, signal, below });
  return shown === 'stopped' ? undefined : ask(isPaged ? [] : question);
}

/**
 * Short prompt for a terminal that is too small for the normal prompt. In that case the normal prompt was shown as part
 * of a page.
 */
const SHORT = 'y/n ';

function replyTo(question: Question, typed: string): PersonReply {
  if (question.about === 'call') return readReply(question, typed);
  const text = typed.trim();
  if (/^y(es)?$/i.test(text)) return { answer: 'allowed' };
  return /^no?$/i.test(text) ? { answer: 'denied' } : 'unclear';
}
