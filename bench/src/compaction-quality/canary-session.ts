// Made-up session with the planted canaries: rounds of work, each followed by Tidemark's own compaction.

import type { Tool } from '@tidemark/agent';
import { virtualTime } from '@tidemark/agent/contract';
import { createAgent, createPlanTool } from '@tidemark/kit';
import type { EffectClass, Position } from '@tidemark/log';
import type { Answer, AnswerPart } from '@tidemark/model';
import { createMemoryStore } from '@tidemark/store-memory';

import { madeProvider } from '../made-provider.ts';
import { madeText } from '../made-text.ts';
import type { CanaryPlace, Planted } from './canaries.ts';
import { CANARIES } from './canaries.ts';
import { MODEL, packedBy } from './compact-cut.ts';
import { recordsOf, spansOf, withoutCompactions } from './histories.ts';
import type { Piece } from './pieces.ts';
import { piecesOf, tokensOf } from './pieces.ts';

/** Number of compactions in a row. */
export const ROUNDS = 5;
/** Maximum tokens of the checkpoint, and of the tail after it. */
export const CHECKPOINT_TOKENS = 8_000;
export const TAIL_TOKENS = 2_000;

/** Text that is kept after a round, and text that the round added. */
export interface CanaryRound {
  /** The checkpoint and the text of the history after it. */
  readonly kept: readonly Piece[];
  /** Everything that the round added to the history. Other strategies compact it in their own way. */
  readonly added: readonly Piece[];
}

/**
 * `STEPS` is the number of steps in a round: in every three steps, two read a file and the third edits one.
 * `RESULT_BYTES` and `EDIT_BYTES` are the sizes of a read result and of an edit.
 */
const STEPS = 18;
const RESULT_BYTES = 7_000;
const EDIT_BYTES = 3_000;
/** Number of requirements in the first prompt. Its canaries are between them. */
const REQUIREMENTS = 40;

/**
 * Plays the session.
 * @throws Error if Tidemark's compaction is refused, or if its checkpoint exceeds the budget.
 */
export async function canaryRounds(): Promise<readonly CanaryRound[]> {
  const store = createMemoryStore();
  const answers: Answer[] = [];
  let results = 0;
  const run = (): string => madeText(RESULT_BYTES, (results += 1));
  const agent = createAgent({
    model: MODEL,
    provider: madeProvider(() => answers.shift() ?? answerWith('On it.')),
    store,
    tools: [workTool('read', 'read', run), workTool('edit', 'write', run), createPlanTool()],
    compaction: { pruning: 'never', when: 'manual' },
    permissions: { mode: 'auto' },
    host: { clock: virtualTime().surroundings },
  });
  const session = await agent.open();
  const kept: (readonly Piece[])[] = [];
  const ends: Position[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    answers.push(...answersOf(round));
    const { outcome } = await session.prompt(promptOf(round));
    if (outcome !== 'completed' || answers.length > 0)
      throw new Error(`round ${round} of the canaries ended ${outcome}`);
    const { position, refused } = await session.compact({
      tailTokens: TAIL_TOKENS,
      checkpointTokens: CHECKPOINT_TOKENS,
    });
    if (position === undefined) throw new Error(`round ${round} of the canaries was not compacted: ${refused}`);
    await session.prompt('Go on.');
    kept.push(checked(await packedBy(store, session.id, position)));
    ends.push(position);
  }
  await session.close();
  const records = withoutCompactions(await recordsOf(store, session.id));
  const pieces = piecesOf(spansOf(records));
  const added = (from: number, to: number): readonly Piece[] =>
    pieces.filter(({ position }) => position > from && position <= to);
  return kept.map((one, index) => ({ kept: one, added: added(ends[index - 1] ?? -1, ends[index] ?? -1) }));
}

/**
 * Returns the kept text unchanged.
 * @throws Error for a checkpoint above the budget, because the rounds would not be comparable.
 */
function checked(kept: readonly Piece[]): readonly Piece[] {
  const size = tokensOf(kept.slice(0, 1));
  if (size <= CHECKPOINT_TOKENS) return kept;
  throw new Error(`a checkpoint takes ${size} tokens, more than ${CHECKPOINT_TOKENS}: compact with that budget`);
}

function linesAt(round: number, place: CanaryPlace): readonly string[] {
  const planted = CANARIES.flatMap((canary): readonly Planted[] =>
    canary.update === undefined ? [canary] : [canary, canary.update],
  );
  return planted.filter((one) => one.round === round && one.place === place).map(({ line }) => line);
}

/**
 * Returns the prompt of a round. The first prompt is a long list, like the prompt of a real task. The other prompts are
 * short.
 */
function promptOf(round: number): string {
  const lines = linesAt(round, 'prompt');
  if (round > 1) return [`Go on with part ${round} of the ledger.`, ...lines].join('\n');
  const list = Array.from({ length: REQUIREMENTS }, (_, index) => `- Part ${index} of the ledger is read and tested.`);
  for (const [index, line] of lines.entries()) list.splice(7 * (index + 1), 0, `- ${line}`);
  return ['Bring the ledger of the shop in order. What is wanted:', ...list].join('\n');
}

/**
 * Returns the answers of a round: steps of work, of which some contain canaries, and a final text with a line for each
 * canary planted there.
 */
function answersOf(round: number): readonly Answer[] {
  const prose = linesAt(round, 'step');
  const steps = Array.from({ length: STEPS }, (_, step) => {
    const words = [`I look at part ${round}.${step} of the ledger next.`];
    const [line] = step % 4 === 1 ? prose.slice((step - 1) / 4) : [];
    if (line !== undefined) words.unshift(line);
    const path = `src/ledger/part-${round}-${step - (step % 3)}.ts`;
    if (step % 3 === 2) return answerWith(words.join('\n'), editOf(path, madeText(EDIT_BYTES, 1_000 * round + step)));
    return answerWith(words.join('\n'), { name: 'read', arguments: { path } });
  });
  const planned = planOf(round);
  if (planned !== undefined) steps.splice(5, 0, answerWith('I write the plan down.', planned));
  for (const line of linesAt(round, 'edit'))
    steps.splice(9, 0, answerWith('I add the function.', editOf(pathOf(line), line)));
  return [...steps, answerWith([`Part ${round} is done.`, ...linesAt(round, 'closing')].join('\n'))];
}

interface MadeCall {
  readonly name: string;
  readonly arguments: object;
}

/** Returns the plan of a round. The plan marks the decision that it replaces as `superseded`. */
function planOf(round: number): MadeCall | undefined {
  const old = CANARIES.flatMap(({ place, update, line }) =>
    place === 'plan' && update?.round === round ? [{ what: line, status: 'superseded' }] : [],
  );
  const decisions = [...old, ...linesAt(round, 'plan').map((what) => ({ what, status: 'settled' }))];
  return decisions.length === 0 ? undefined : { name: 'plan', arguments: { decisions } };
}

function editOf(path: string, text: string): MadeCall {
  return { name: 'edit', arguments: { path, oldText: '', newText: `${text}\n  return cents;\n}` } };
}

function pathOf(line: string): string {
  return CANARIES.find((canary) => canary.line === line)?.names?.[0] ?? 'src/ledger/index.ts';
}

let calls = 0;

function answerWith(text: string, call?: MadeCall): Answer {
  const words = { type: 'text', text } as const;
  if (call === undefined) return { parts: [words], stop: 'end', truncated: 'no', usage: {} };
  const id = `toolu_${(calls += 1)}`;
  const made: AnswerPart = { type: 'call', call: id, name: call.name, arguments: JSON.stringify(call.arguments) };
  return { parts: [words, made], stop: 'calls', truncated: 'no', usage: {} };
}

/** Creates a tool with a name that the checkpoint recognizes. The tool accepts any arguments. */
function workTool(name: string, effect: EffectClass, run: () => string): Tool {
  return {
    name,
    description: `Does a ${name} in the workspace.`,
    schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    effect,
    read: () => ({ title: name, run: async () => ({ text: run() }) }),
  };
}
