// Asks the person at the terminal: shows all that is decided about, a page at a time where it is long, and takes a clear answer.

import type { Answer, Question } from '@tidemark/kit';

import { foldLine } from './fold-line.ts';
import type { Input } from './input.ts';
import { markedText } from './marked-text.ts';
import { questionText } from './question-text.ts';
import type { QuestionText } from './question-text.ts';
import type { Reply } from './read-reply.ts';
import { readReply } from './read-reply.ts';
import { showPaged } from './show-paged.ts';

/** Where a person is asked. */
interface Asking {
  readonly input: Input;
  readonly signal: AbortSignal;
}

/** How often an unclear answer is asked about, and how often a grant may be refused. */
const MOST_UNCLEAR = 2;
const MOST_REFUSED = 5;

/** Asks. A page that is stopped, a question that is cut off, and anything but a clear yes are a no. */
export async function askPerson(question: Question, asking: Asking): Promise<Answer> {
  try {
    return await answerFrom(question, asking);
  } catch (error) {
    if (asking.signal.aborted) return 'denied';
    throw error;
  }
}

async function answerFrom(question: Question, asking: Asking): Promise<Answer> {
  const { input, signal } = asking;
  const text = questionText(question, input.columns);
  const whole = [...text.head, ...text.body, ...text.answers];
  const rowsOf = (shown: readonly string[]): readonly string[] =>
    shown.flatMap((line) => foldLine(line, input.columns - 1));
  const fits = rowsOf(whole).length + 1 < input.rows;
  if (!fits && (await showPaged(rowsOf([...text.head, ...text.body]), asking)) === 'stopped') return 'denied';
  let asked = lines(fits ? whole : [...text.head, ...text.answers], text);
  for (let [unclear, refused] = [0, 0]; unclear < MOST_UNCLEAR && refused < MOST_REFUSED;) {
    const reply = replyTo(question, await input.ask(asked, signal));
    if (reply === 'unclear') unclear += 1;
    else if ('answer' in reply) return reply.answer;
    else refused += 1;
    const why = reply === 'unclear' ? 'That is none of the answers.' : `${markedText(reply.problem)}.`;
    asked = lines([why, ...text.answers], text);
  }
  return 'denied';
}

function lines(shown: readonly string[], { prompt }: QuestionText): string {
  return [...shown, prompt].join('\n');
}

function replyTo(question: Question, typed: string): Reply {
  if (question.about === 'call') return readReply(question, typed);
  const text = typed.trim();
  if (/^y(es)?$/i.test(text)) return { answer: 'allowed' };
  return /^no?$/i.test(text) ? { answer: 'denied' } : 'unclear';
}
