// Headings and lines of each list of a checkpoint. User prompts are quoted line by line, so their text cannot be
// mistaken for a heading.

import type {
  CheckpointItems,
  CheckpointLists,
  FileState,
  ListName,
  NameInFile,
  ReadAgain,
  Remark,
  Authored,
} from './checkpoint.ts';
import { lineOf, oneLine } from './excerpt.ts';

interface CheckpointSection<K extends ListName> {
  readonly heading: string;
  readonly line: (item: CheckpointItems[K]) => string;
}

const BELOW = 80;

const SECTIONS: { readonly [K in ListName]: CheckpointSection<K> } = {
  directives: {
    heading: 'Prompts of the user',
    line: ({ position, text, steer, below }) => {
      const where = `- [${position}]${steer === true ? ' (while the agent worked)' : ''}`;
      return below === true ? `${where} (whole text below): ${lineOf(text, BELOW)}` : `${where}\n${quoteText(text)}`;
    },
  },
  decisions: {
    heading: 'Decisions',
    line: ({ position, what, why, status, replaces, by }) =>
      `- [${position}] ${what} (${status}${byline(by)})${replaces === undefined ? '' : `, replaces: ${replaces}`}${why === undefined ? '' : `, because: ${why}`}`,
  },
  work: { heading: 'Work done', line: ({ position, what, by }) => `- [${position}] ${what}${aside(by)}` },
  filesChanged: { heading: 'Files changed', line: fileLine },
  filesRead: { heading: 'Files read', line: fileLine },
  commands: {
    heading: 'Commands and evidence',
    line: ({ position, command, folder, outcome, exit, failedAt, failure, excerpt }) => {
      const how = [
        outcome,
        ...(exit === undefined || exit === 0 ? [] : [`exit ${exit}`]),
        ...(failedAt === undefined ? [] : [`failed earlier at [${failedAt}]`]),
      ];
      const quotes = [failure === undefined ? [] : [`failure: ${failure}`], excerpt ?? []].flat();
      const where = folder === undefined ? '' : ` (in ${folder})`;
      return [`- [${position}] ${how.join(', ')}: ${command}${where}`, ...quotes.map((line) => `  > ${line}`)].join(
        '\n',
      );
    },
  },
  tasks: {
    heading: 'Open tasks',
    line: ({ position, task, status, by }) => `- [${position}] ${task} (${STATUS[status]}${byline(by)})`,
  },
  questions: { heading: 'Open questions', line: remarkLine },
  risks: { heading: 'Risks', line: remarkLine },
  subagents: {
    heading: 'Subagents',
    line: ({ position, id, role, task, status, result }) =>
      `- [${position}] ${id}${role === undefined ? '' : `, ${oneLine(role)}`}: ${status}${labelText('task', task)}${labelText('result', result)}`,
  },
  instructions: { heading: 'Instruction files to read again', line: againLine },
  skills: { heading: 'Skills to load again', line: againLine },
};

const STATUS = {
  open: 'open',
  active: 'in progress',
  unlisted: 'no longer in the plan, but not recorded as done',
} as const;

/** Returns the texts of the items for each list. The texts are in the order of the list. */
export function linesOf(lists: CheckpointLists): { readonly [list in ListName]: readonly string[] } {
  return {
    directives: say('directives', lists.directives),
    decisions: say('decisions', lists.decisions),
    work: say('work', lists.work),
    filesChanged: say('filesChanged', lists.filesChanged),
    filesRead: say('filesRead', lists.filesRead),
    commands: say('commands', lists.commands),
    tasks: say('tasks', lists.tasks),
    questions: say('questions', lists.questions),
    risks: say('risks', lists.risks),
    subagents: say('subagents', lists.subagents),
    instructions: say('instructions', lists.instructions),
    skills: say('skills', lists.skills),
  };
}

function say<K extends ListName>(list: K, items: readonly CheckpointItems[K][]): readonly string[] {
  const { line }: CheckpointSection<K> = SECTIONS[list];
  return items.map((item) => line(item));
}

export function headingOfList(list: ListName): string {
  return SECTIONS[list].heading;
}

/** Splits a text at every kind of line break. */
export function brokenLines(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
}

/** Returns a text as a quotation: each line begins with `  > `. A line ends at every kind of line break. */
export function quoteText(text: string): string {
  return brokenLines(text)
    .map((line) => `  > ${line}`.trimEnd())
    .join('\n');
}

function fileLine({ position, path, removed, names = [] }: FileState): string {
  const held = names.length === 0 ? '' : `: ${namesInWords(names)}`;
  return `- [${position}] ${oneLine(path)}${removed === true ? ' (removed)' : ''}${held}`;
}

/**
 * Returns names as text, in the order of their lines: `rows total; readRow:12 Row; writeRow:40`. Names without a line
 * come first. Only a declared name shows its line number. Each name after it is on that line or below.
 */
function namesInWords(names: readonly NameInFile[]): string {
  const all = names
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ name, line, declared }, index) => {
      const one = oneLine(name);
      return declared === true && line !== undefined ? `${index === 0 ? '' : '; '}${one}:${line}` : ` ${one}`;
    });
  return all.join('').trim();
}

function remarkLine({ position, text, by }: Remark): string {
  return `- [${position}] ${text}${aside(by)}`;
}

function againLine({ position, name }: ReadAgain): string {
  return `- [${position}] ${oneLine(name)}`;
}

function labelText(name: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `; ${name}: ${text}`;
}

function byline(by: Authored['by']): string {
  return by === undefined ? '' : ', by a model';
}

function aside(by: Authored['by']): string {
  return by === undefined ? '' : ' (by a model)';
}
