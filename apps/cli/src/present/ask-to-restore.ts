// Asks the user about one file before it is restored. Shows the complete diff, page by page if it is long.

import { markedText } from './marked-text.ts';
import type { PersonPrompt } from './ask-person.ts';
import { askBelow } from './ask-person.ts';
import { withoutFileNames } from './file-names-of-diff.ts';
import { frameLines, hanging } from './question-text.ts';

/** Answer of the user: for this file, or for this file and all later ones. */
export type RestoreAnswer = 'yes' | 'no' | 'all' | 'none';

/** A file that can be restored. */
export interface RestoreQuestion {
  readonly name: string;
  /** True if the restoration deletes the file, because a tool created it. */
  readonly deletes: boolean;
  /** Diff from the current file to the restored one, as it is. */
  readonly diff: string;
}

/** Number of unclear answers after which the file is not restored. */
const MAX_UNCLEAR = 2;

const ANSWERS: ReadonlyMap<string, RestoreAnswer> = new Map([
  ['y', 'yes'],
  ['yes', 'yes'],
  ['n', 'no'],
  ['no', 'no'],
  ['a', 'all'],
  ['all', 'all'],
  ['q', 'none'],
  ['quit', 'none'],
]);

/** Asks the user. The answer is `no` if the user stops at a page or gives no clear answer. */
export async function askToRestore(question: RestoreQuestion, asking: PersonPrompt): Promise<RestoreAnswer> {
  const { columns } = asking.input;
  const does = question.deletes ? 'delete' : 'restore';
  const head = hanging(`${does} ${markedText(question.name)}`, columns);
  let above: readonly string[] = [...head, ...frameLines(withoutFileNames(question.diff, question.name), columns)];
  for (let unclear = 0; unclear < MAX_UNCLEAR; unclear += 1) {
    const typed = await askBelow(
      { above, again: head, asked: [], prompt: `${does} it? (y/n, a: all, q: none) ` },
      asking,
    );
    const answer = typed === undefined ? 'no' : ANSWERS.get(typed.trim().toLowerCase());
    if (answer !== undefined) return answer;
    above = hanging('This is not one of the answers.', columns);
  }
  return 'no';
}
