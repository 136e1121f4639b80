// A question of the runtime as a person reads it: the head, all that is decided about, and the answers with what each covers.

import type { CallQuestion, DefinitionQuestion } from '@tidemark/agent';
import { grantCovers, offeredPlaces, readGrant } from '@tidemark/agent';
import type { Question } from '@tidemark/kit';
import type { Granted } from '@tidemark/log';

import { foldLine } from './fold-line.ts';
import { markedText } from './marked-text.ts';

/**
 * A question of the runtime as text: the head, all that is decided about, and the answers with what each covers.
 * Each line of the head, the body and the answers is a row that fits the terminal. No row of others
 * can look like one of ours: theirs begin with `│` or `┆`.
 */
export interface QuestionText {
  /** Lines that say what is asked. */
  readonly head: readonly string[];
  /** Lines of what would happen, whole. Empty where the head says all. */
  readonly body: readonly string[];
  /** The answers, a line each. Empty where they are y and n alone. */
  readonly answers: readonly string[];
  /** Ends with a space: the answer is typed behind it. */
  readonly prompt: string;
}

/** Characters of a sentence about a grant of commands. */
const LONGEST = 300;

/** Characters of a path in an answer. */
const NAME = 60;

/** Characters of a title: what the call would do stands below it, whole. */
const TITLE = 100;

/** Returns the text of a question, made for so many columns. */
export function questionText(question: Question, columns: number): QuestionText {
  switch (question.about) {
    case 'call':
      return {
        head: [
          ...hanging(`${titleOf(question.title)} [${question.rule}]`, columns),
          // A server and an own tool choose their titles.
          ...(question.preview.kind === 'arguments' ? hanging(`tool: ${markedText(question.tool)}`, columns) : []),
          ...(question.again ? hanging(CHANGED, columns) : []),
        ],
        body: frameLines(question.preview.text, columns),
        answers: answersTo(question).flatMap((line) => hanging(line, columns)),
        prompt: question.preview.unseen === undefined ? 'allow it? (y/n) ' : 'allow it? (unseen/n) ',
      };
    case 'definition':
      return {
        head: hanging(`${titleOf(question.title)} [${question.rule}]`, columns),
        body: frameLines(definitionText(question), columns),
        answers: [],
        prompt: 'take it? (y/n) ',
      };
    case 'rewrite':
      return { head: [], body: [], answers: [], prompt: `${markedText(question.title)}. Send it? (y/n) ` };
  }
}

/** Returns a line as rows that fit the terminal. Those after the first one are framed: others may have written what they hold. */
export function hanging(line: string, columns: number): readonly string[] {
  const [first = '', ...rest] = foldLine(line, Math.max(1, columns - 1));
  const text = rest.join('');
  return [first, ...(text === '' ? [] : foldLine(text, Math.max(1, columns - 3)).map((row) => `┆ ${row}`))];
}

const CHANGED = 'It changed after your answer. This is what it would do now:';

function titleOf(title: string): string {
  const [line = ''] = title.split('\n', 1);
  const short = Array.from(line).slice(0, TITLE).join('');
  return markedText(short === title ? title : `${short}…`);
}

function definitionText({ was, is }: DefinitionQuestion): string {
  const shown = (spec: typeof is): string => JSON.stringify(spec, undefined, 2);
  return `as it was taken:\n${shown(was)}\nas it is now:\n${shown(is)}`;
}

function answersTo(question: CallQuestion): readonly string[] {
  const { preview } = question;
  const yes =
    preview.unseen === undefined
      ? 'y: allow this, once'
      : `unseen: allow it, once, though not all of it can be shown (${markedText(preview.unseen)})`;
  return [yes, 'n: refuse; words after n are told to the model', ...grantAnswers(question)];
}

function grantAnswers({ offer, preview }: CallQuestion): readonly string[] {
  if (offer === undefined || preview.unseen !== undefined) return [];
  const { exact, call, project } = offer;
  const session = 'for the rest of this session';
  const lines = [
    ...(exact === undefined ? [] : [`a: ${exactCovers(exact)}, ${session}`]),
    ...(call.effects?.commands === undefined
      ? []
      : [
          'a <pattern>, as in `a npm test *`: every command that fits it (a * at the end: any further words), likewise',
        ]),
    ...offeredPlaces(offer).map((place) => {
      const grant = readGrant(offer, place);
      const covers = 'problem' in grant ? grant.problem : grantCovers(grant);
      const line = `a ${place}: ${covers}, ${session}`;
      return markedText(preview.text.includes(place) ? line.replaceAll(place, () => middleCut(place)) : line);
    }),
  ];
  if (lines.length === 0 || !project) return lines;
  return [...lines, 'p in the place of a: the same, for every session in this project'];
}

/** Cuts a long name in its middle: its begin and its end tell most. Only for what the body shows whole. */
function middleCut(name: string): string {
  const letters = Array.from(name);
  if (letters.length <= NAME) return name;
  const half = Math.floor((NAME - 1) / 2);
  return `${letters.slice(0, half).join('')}…${letters.slice(-half).join('')}`;
}

/** What stands above in full is not said again at length. */
function exactCovers(exact: Granted): string {
  const covers = grantCovers(exact);
  const short = covers.length <= LONGEST || exact.commands === undefined;
  return markedText(
    short ? covers : `${exact.tool} runs each of the commands above to the letter, in any line of such commands`,
  );
}

/** The text with marks, each line framed and folded to the columns, so that rows can be counted. */
function frameLines(text: string, columns: number): readonly string[] {
  return markedText(text)
    .split('\n')
    .flatMap((line) =>
      foldLine(line, Math.max(1, columns - 3)).map((part, index) => `${index === 0 ? '│' : '┆'} ${part}`),
    );
}
