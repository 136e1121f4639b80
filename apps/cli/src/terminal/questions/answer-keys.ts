// Keys with which the user answers a question. A yes is possible only after every page was shown.

import { offeredPatterns, offeredPlaces } from '@tidemark/agent';
import type { PermissionAnswer, Question } from '@tidemark/kit';

import { readReply } from '../../present/read-reply.ts';

/** State of a question on the screen. */
export interface Answering {
  /** Index of the shown page. */
  readonly page: number;
  /** True after every page was shown. */
  readonly seen: boolean;
  /**
   * Line that the user types: the reason of a no, a grant for the session or for the project, or the word for a call
   * that was not shown completely. `undefined` while single keys answer.
   */
  readonly line?: AnswerLine | undefined;
  readonly typed: string;
  readonly problem?: string | undefined;
}

/** Kind of the line that the user types. */
export type AnswerLine = 'reason' | 'session' | 'project' | 'unseen';

/** A pressed key: the typed characters, and the name of a special key. */
export interface PressedKey {
  readonly input: string;
  readonly name?: 'enter' | 'escape' | 'backspace' | 'next' | 'previous' | 'first' | 'last' | undefined;
}

/** State or answer after a key. `interrupt` means that the user ends the turn of the question without an answer. */
export type AnswerStep = Answering | { readonly answer: PermissionAnswer } | { readonly interrupt: true };

/** Returns the state when a question with this number of pages appears. */
export function startAnswering(pages: number): Answering {
  return { page: 0, seen: pages === 1, typed: '' };
}

/** Returns the state or the answer after a key. */
export function pressKey(state: Answering, key: PressedKey, question: Question, pages: number): AnswerStep {
  return state.line === undefined
    ? pressAnswer(state, key, question, pages)
    : typeInLine(state, state.line, key, question);
}

function pressAnswer(state: Answering, { input, name }: PressedKey, question: Question, pages: number): AnswerStep {
  if (name === 'escape') return { interrupt: true };
  const page = pageAfter(state.page, { input, name }, pages);
  if (page !== undefined) return turnTo(state, page, pages);
  const letter = input.toLowerCase();
  if (letter === 'n') return question.about === 'call' ? openLine(state, 'reason') : { answer: 'denied' };
  if (!['y', 'u', 'a', 'p'].includes(letter)) return state;
  if (!state.seen || pages === 0) return { ...state, problem: pages === 0 ? TOO_SMALL : 'space shows the rest first' };
  if (question.about !== 'call') return letter === 'y' ? { answer: 'allowed' } : state;
  const { unseen } = question.preview;
  if (letter === 'u') return unseen === undefined ? state : openLine(state, 'unseen');
  if (letter === 'y')
    return unseen === undefined ? { answer: 'allowed' } : { ...state, problem: 'press u, then type the word unseen' };
  const reply = readReply(question, letter);
  // The call can only be allowed once. The reply contains the reason.
  if (reply !== 'unclear' && 'problem' in reply && question.offer === undefined)
    return { ...state, problem: reply.problem };
  const [place = ''] = grantPlaces(question);
  return openLine(state, letter === 'a' ? 'session' : 'project', place);
}

/** Keys that turn pages, as in the viewer. */
const PAGE_KEYS: ReadonlyMap<string, 'next' | 'previous' | 'first' | 'last'> = new Map([
  ...[' ', 'f', 'j'].map((key) => [key, 'next'] as const),
  ...['b', 'k'].map((key) => [key, 'previous'] as const),
  ['g', 'first'],
  ['G', 'last'],
]);

/** Returns the index of the page after a key, or `undefined` for a key that turns no page. */
function pageAfter(page: number, { input, name }: PressedKey, pages: number): number | undefined {
  const turn = name === 'enter' ? 'next' : (name ?? PAGE_KEYS.get(input));
  if (turn === 'first') return 0;
  if (turn === 'last') return pages - 1;
  if (turn === 'next') return page + 1;
  return turn === 'previous' ? page - 1 : undefined;
}

/**
 * Returns the texts with which the line of a grant can begin, the narrowest first. A plain command begins with itself. An
 * empty text is a grant for exactly the call. A write has no exact grant. The line then begins with the nearest place
 * that the question offers.
 */
export function grantPlaces(question: Question): readonly string[] {
  if (question.about !== 'call' || question.offer === undefined) return [];
  const { offer } = question;
  const places = [...offeredPatterns(offer), ...offeredPlaces(offer)];
  return offer.exact === undefined || isExact(question, places[0]) ? places : ['', ...places];
}

/** Returns true if the text is the command of the call. A grant for it is then the exact one. */
function isExact(question: Question, text: string | undefined): boolean {
  if (text === undefined || question.about !== 'call' || question.offer === undefined) return false;
  return offeredPatterns(question.offer)[0] === text;
}

/** Replaces the place of a grant with the next or the previous one. A text that the user typed is kept. */
function otherPlace(state: Answering, line: AnswerLine, to: 'next' | 'previous', question: Question): Answering {
  const places = line === 'session' || line === 'project' ? grantPlaces(question) : [];
  const at = places.indexOf(state.typed);
  if (at === -1) return state;
  const typed = places.at((at + (to === 'next' ? 1 : -1)) % places.length) ?? state.typed;
  return { ...state, typed, problem: undefined };
}

const TOO_SMALL = 'the terminal is too small to show the question';

function turnTo(state: Answering, page: number, pages: number): Answering {
  const shown = Math.max(0, Math.min(pages - 1, page));
  return { ...state, page: shown, seen: state.seen || shown === pages - 1, problem: undefined };
}

function openLine(state: Answering, line: AnswerLine, typed = ''): Answering {
  return { ...state, line, typed, problem: undefined };
}

function typeInLine(state: Answering, line: AnswerLine, { input, name }: PressedKey, question: Question): AnswerStep {
  switch (name) {
    case 'escape':
      return { ...state, line: undefined, typed: '', problem: undefined };
    case 'enter':
      return endLine(state, line, question);
    case 'backspace':
      return { ...state, typed: Array.from(state.typed).slice(0, -1).join(''), problem: undefined };
    case 'first':
    case 'last':
      return state;
    case 'next':
    case 'previous':
      return otherPlace(state, line, name, question);
    case undefined: {
      // Text in place of a suggested command is another pattern. A space continues the suggested one.
      const isSuggested =
        question.about === 'call' &&
        question.offer !== undefined &&
        !input.startsWith(' ') &&
        offeredPatterns(question.offer).includes(state.typed);
      const next = {
        ...state,
        typed: (isSuggested ? '' : state.typed) + input.replaceAll(/\p{Cc}+/gu, ' '),
        problem: undefined,
      };
      // Fast keys can arrive together with Enter. A grant is not ended in this way, because it could be a paste.
      return line === 'reason' && /^\P{Cc}+\r$/u.test(input) ? endLine(next, line, question) : next;
    }
  }
}

const WORDS: Readonly<Record<AnswerLine, string>> = { reason: 'n ', session: 'a ', project: 'p ', unseen: '' };

function endLine(state: Answering, line: AnswerLine, question: Question): AnswerStep {
  if (question.about !== 'call') return { answer: 'denied' };
  const typed = state.typed.trim();
  const isGrant = line === 'session' || line === 'project';
  const reply = readReply(question, `${WORDS[line]}${isGrant && isExact(question, typed) ? '' : typed}`.trim());
  if (reply === 'unclear') return { ...state, problem: 'this is not one of the answers' };
  return 'answer' in reply ? reply : { ...state, problem: reply.problem };
}
