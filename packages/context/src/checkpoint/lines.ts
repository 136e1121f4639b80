// The words of each list of a checkpoint: its heading, and each item as a line. What people said is quoted, line by line,
// so that it cannot pass for a heading.

import type {
  CheckpointItems,
  CheckpointLists,
  FileState,
  ListName,
  ReadAgain,
  Remark,
  Written,
} from './checkpoint.ts';
import { lineOf, oneLine } from './excerpt.ts';

/** How a list is said. */
interface Section<K extends ListName> {
  readonly heading: string;
  readonly line: (item: CheckpointItems[K]) => string;
  /** What stands there when nothing does; absent where that is not worth a line. */
  readonly none?: string;
}

const BELOW = 80;

const SECTIONS: { readonly [K in ListName]: Section<K> } = {
  directives: {
    heading: 'What the user said',
    line: ({ position, text, steer, below }) => {
      const where = `- [${position}]${steer === true ? ' while the agent worked' : ''}`;
      return below === true ? `${where} stands whole below: ${lineOf(text, BELOW)}` : `${where}\n${quoted(text)}`;
    },
  },
  decisions: {
    heading: 'Decisions',
    line: ({ position, what, why, status, by }) =>
      `- [${position}] ${what} (${status}${byline(by)})${why === undefined ? '' : `, because: ${why}`}`,
    none: 'None is recorded.',
  },
  work: { heading: 'Work done', line: ({ position, what, by }) => `- [${position}] ${what}${aside(by)}` },
  filesChanged: { heading: 'Files changed', line: fileLine },
  filesRead: { heading: 'Files read', line: fileLine },
  commands: {
    heading: 'Commands and evidence',
    line: ({ position, command, outcome, exit, runs, excerpt }) => {
      const how = [
        outcome,
        ...(exit === undefined ? [] : [`exit ${exit}`]),
        ...(runs === 1 ? [] : [`run ${runs} times`]),
      ];
      return `- [${position}] ${how.join(', ')}: ${command}${excerpt === undefined ? '' : `\n  > ${excerpt}`}`;
    },
  },
  tasks: {
    heading: 'Open tasks',
    line: ({ position, task, status, by }) => `- [${position}] ${task} (${STATUS[status]}${byline(by)})`,
    none: 'None is recorded.',
  },
  questions: { heading: 'Open questions', line: remarkLine },
  risks: { heading: 'Risks', line: remarkLine },
  subagents: {
    heading: 'Subagents',
    line: ({ position, id, role, task, status, result }) =>
      `- [${position}] ${id}${role === undefined ? '' : `, ${oneLine(role)}`}: ${status}${labelled('task', task)}${labelled('result', result)}`,
  },
  instructions: { heading: 'Instruction files to read again', line: againLine },
  skills: { heading: 'Skills to load again', line: againLine },
};

const STATUS = {
  open: 'open',
  active: 'being worked on',
  unlisted: 'no longer in the plan; nothing says that it was done',
} as const;

/** Each item in words, by list. */
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
  const { line }: Section<K> = SECTIONS[list];
  return items.map((item) => line(item));
}

/** The heading of a list, and what stands under it when it is empty. */
export function sectionOf(list: ListName): Pick<Section<ListName>, 'heading' | 'none'> {
  return SECTIONS[list];
}

/** A text as a quotation, whatever breaks its lines. */
export function quoted(text: string): string {
  return text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => `  > ${line}`.trimEnd())
    .join('\n');
}

function fileLine({ position, path, digest, removed }: FileState): string {
  const state = removed === true ? ' (removed)' : digest === undefined ? '' : ` (sha256 ${digest.slice(0, 12)})`;
  return `- [${position}] ${oneLine(path)}${state}`;
}

function remarkLine({ position, text, by }: Remark): string {
  return `- [${position}] ${text}${aside(by)}`;
}

function againLine({ position, name, version }: ReadAgain): string {
  return `- [${position}] ${oneLine(name)}${version === undefined ? '' : ` (${oneLine(version)})`}`;
}

function labelled(name: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `; ${name}: ${text}`;
}

function byline(by: Written['by']): string {
  return by === undefined ? '' : ', by a model';
}

function aside(by: Written['by']): string {
  return by === undefined ? '' : ' (by a model)';
}
