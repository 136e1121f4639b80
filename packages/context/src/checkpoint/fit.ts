// Fits the lists of a checkpoint into a token limit. Each list has its own share and can also use the free tokens of
// other lists. Within a list, the newest items are chosen first. Items proven by the log are chosen before items
// written by a model. Failed commands, and commands that check the work, are chosen before other commands. The names of
// skills and instruction files to read again are chosen before all other items, because nothing else shows that these
// texts are no longer in force.

import type { Position } from '@tidemark/log';
import { estimateTokens } from '../base/estimate.ts';
import type {
  Checkpoint,
  CheckpointItems,
  CheckpointLists,
  CommandRun,
  LeftOut,
  ListName,
  Authored,
} from './checkpoint.ts';
import { eachList } from './checkpoint.ts';
import { addLeftOut } from './limitations.ts';
import { linesOf } from './lines.ts';

/**
 * Share of the token limit for each list. The order of this table is also the order in which lists use the remaining
 * tokens.
 */
const SHARES: readonly (readonly [list: ListName, share: number])[] = [
  ['directives', 0.4],
  ['decisions', 0.1],
  ['tasks', 0.1],
  ['filesChanged', 0.1],
  ['skills', 0.03],
  ['instructions', 0.04],
  ['questions', 0.03],
  ['risks', 0.03],
  ['subagents', 0.04],
  ['work', 0.06],
  ['commands', 0.04],
  ['filesRead', 0.03],
];

/**
 * Lists whose content the steps describe in more detail. They can exceed their share only if the steps leave tokens
 * free.
 */
const LATER: ReadonlySet<ListName> = new Set(['work', 'commands']);

/**
 * Lists whose newest names are chosen before all other items. Each of these two lists may first use up to `MAX_NAMES`
 * of the limit, so together they use at most half of it.
 */
const NAMES: readonly ListName[] = ['skills', 'instructions'];

const MAX_NAMES = 0.25;

/** Maximum share of the limit for all lines written by a model. The rest is reserved for facts that the log proves. */
const OF_MODEL = 0.25;

/** Items that fit, and a record of the omitted ones, including those omitted by earlier checkpoints. */
export interface Fitted {
  readonly lists: CheckpointLists;
  readonly leftOut: { readonly [list in ListName]?: LeftOut };
  /** Tokens that no list uses. */
  readonly left: number;
}

/**
 * Lists with the tokens of every item. In `prices`, the items of each list are in the order in which they are chosen.
 */
export interface PricedLists {
  readonly lists: CheckpointLists;
  readonly prices: { readonly [list in ListName]: readonly PricedLine[] };
}

/** Lists to which a model may add lines. */
type WrittenList = 'decisions' | 'work' | 'tasks' | 'questions' | 'risks';

interface PricedLine {
  readonly index: number;
  readonly tokens: number;
  readonly byModel?: true;
}

/**
 * Computes the tokens of all items and the order in which they are chosen. The result can be used for several calls of
 * `fitLists`.
 */
export function priceLists(lists: CheckpointLists): PricedLists {
  const lines = linesOf(lists);
  const newest = (name: ListName): readonly PricedLine[] =>
    lines[name].map((line, index) => ({ index, tokens: estimateTokens(line) + 1 })).toReversed();
  const provenFirst = (name: WrittenList): readonly PricedLine[] => {
    const items: readonly Authored[] = lists[name];
    const priced = newest(name).map((one): PricedLine =>
      items[one.index]?.by === undefined ? one : { ...one, byModel: true },
    );
    return priced.toSorted((a, b) => Number(a.byModel === true) - Number(b.byModel === true));
  };
  return {
    lists,
    prices: {
      directives: newest('directives'),
      decisions: provenFirst('decisions'),
      work: provenFirst('work'),
      filesChanged: newest('filesChanged'),
      filesRead: newest('filesRead'),
      commands: failedFirst(newest('commands'), lists.commands),
      tasks: provenFirst('tasks'),
      questions: provenFirst('questions'),
      risks: provenFirst('risks'),
      subagents: newest('subagents'),
      instructions: newest('instructions'),
      skills: newest('skills'),
    },
  };
}

/**
 * Returns the items that fit into `room` tokens. `steps` is the number of tokens of all steps, which are fitted later
 * into the remaining tokens.
 */
export function fitLists(
  { lists, prices }: PricedLists,
  room: number,
  steps: number,
  before: Checkpoint['leftOut'],
): Fitted {
  const keptItems = new Map(SHARES.map(([list]) => [list, new Set<number>()] as const));
  let left = room;
  let leftToModel = room * OF_MODEL;
  const take = (list: ListName, most: number): void => {
    const chosen = keptItems.get(list);
    let budget = Math.min(most, left);
    for (const { index, tokens, byModel } of prices[list]) {
      if (chosen === undefined || chosen.has(index) || tokens > budget) continue;
      if (byModel === true && tokens > leftToModel) continue;
      if (byModel === true) leftToModel -= tokens;
      chosen.add(index);
      budget -= tokens;
      left -= tokens;
    }
  };
  for (const list of NAMES) take(list, room * MAX_NAMES);
  for (const [list, share] of SHARES) take(list, room * share);
  for (const [list] of SHARES) take(list, LATER.has(list) ? left - steps : left);
  const isKept = (list: ListName, index: number): boolean => keptItems.get(list)?.has(index) === true;
  const gone = SHARES.map(([list]) => {
    const places = (keeps: boolean): readonly Position[] =>
      lists[list].flatMap(({ position }, index) => (isKept(list, index) === keeps ? [position] : []));
    return [list, addLeftOut(before[list], places(false), places(true))] as const;
  });
  return {
    lists: eachList(<K extends ListName>(name: K) => {
      const items: readonly CheckpointItems[K][] = lists[name];
      return items.filter((_, index) => isKept(name, index));
    }),
    leftOut: Object.fromEntries(gone.filter(([, one]) => one !== undefined)),
    left,
  };
}

/** Returns the tokens that all lists except the prompts need. Each list counts with at most its share of `bound`. */
export function tokensBesidePrompts({ prices }: Pick<PricedLists, 'prices'>, bound: number): number {
  return SHARES.reduce((sum, [list, share]) => {
    if (list === 'directives') return sum;
    const all = prices[list].reduce((tokens, one) => tokens + one.tokens, 0);
    return sum + Math.min(all, share * bound);
  }, 0);
}

function failedFirst(prices: readonly PricedLine[], commands: readonly CommandRun[]): readonly PricedLine[] {
  return prices.toSorted((a, b) => rank(commands[a.index]) - rank(commands[b.index]));
}

/** Commands that build, test or check. Their last result shows if the work is correct. */
const CHECKS =
  /\b(?:test|tests|check|lint|build|compile|typecheck|tsc|pytest|jest|vitest|cargo|make|gradle|mvn|eslint|ruff|mypy|clippy)\b/;

function rank(command: CommandRun | undefined): number {
  if (command === undefined) return 2;
  const { outcome, failedAt, command: words } = command;
  return outcome === 'failed' || outcome === 'partial' || failedAt !== undefined || CHECKS.test(words) ? 0 : 1;
}
