// A made session in which the canaries are planted: rounds of work, and behind each a compaction by the program itself.

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

/** Compactions in a row. */
export const ROUNDS = 5;
/** Tokens of the checkpoint, and of the tail behind it. */
export const CHECKPOINT_TOKENS = 8_000;
export const TAIL_TOKENS = 2_000;

/** What a round came to. */
export interface CanaryRound {
  /** The checkpoint and what is packed behind it. */
  readonly kept: readonly Piece[];
  /** All that the round added to the history, which other strategies compact in their own way. */
  readonly added: readonly Piece[];
}

/** Steps of work in a round: two read, the third one edits. Bytes of what is read, and of what an edit writes. */
const STEPS = 18;
const RESULT_BYTES = 7_000;
const EDIT_BYTES = 3_000;
/** Requirements in the first prompt, between which its canaries stand. */
const REQUIREMENTS = 40;

/** Drives the session. @throws Error where the program refuses to compact, or its checkpoint takes more than the budget. */
export async function canaryRounds(): Promise<readonly CanaryRound[]> {
  const store = createMemoryStore();
  const answers: Answer[] = [];
  let results = 0;
  const run = (): string => madeText(RESULT_BYTES, (results += 1));
  const agent = createAgent({
    model: MODEL,
    provider: madeProvider(() => answers.shift() ?? said('On it.')),
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

/** Returns what was kept. @throws Error for a checkpoint above the budget: the rounds would not be comparable. */
function checked(kept: readonly Piece[]): readonly Piece[] {
  const size = tokensOf(kept.slice(0, 1));
  if (size <= CHECKPOINT_TOKENS) return kept;
  throw new Error(`a checkpoint takes ${size} tokens, more than ${CHECKPOINT_TOKENS}: compact with that budget`);
}

/** The statements that are planted at a place in a round. */
function linesAt(round: number, place: CanaryPlace): readonly string[] {
  const planted = CANARIES.flatMap((canary): readonly Planted[] =>
    canary.update === undefined ? [canary] : [canary, canary.update],
  );
  return planted.filter((one) => one.round === round && one.place === place).map(({ line }) => line);
}

/** The first prompt is a long list, as that of a real task; the others are short. */
function promptOf(round: number): string {
  const lines = linesAt(round, 'prompt');
  if (round > 1) return [`Go on with part ${round} of the ledger.`, ...lines].join('\n');
  const list = Array.from({ length: REQUIREMENTS }, (_, index) => `- Part ${index} of the ledger is read and tested.`);
  for (const [index, line] of lines.entries()) list.splice(7 * (index + 1), 0, `- ${line}`);
  return ['Bring the ledger of the shop in order. What is wanted:', ...list].join('\n');
}

/** Steps of work, among them those with canaries, and last words with a line for each canary. */
function answersOf(round: number): readonly Answer[] {
  const prose = linesAt(round, 'step');
  const steps = Array.from({ length: STEPS }, (_, step) => {
    const words = [`I look at part ${round}.${step} of the ledger next.`];
    const [line] = step % 4 === 1 ? prose.slice((step - 1) / 4) : [];
    if (line !== undefined) words.unshift(line);
    const path = `src/ledger/part-${round}-${step - (step % 3)}.ts`;
    if (step % 3 === 2) return said(words.join('\n'), editOf(path, madeText(EDIT_BYTES, 1_000 * round + step)));
    return said(words.join('\n'), { name: 'read', arguments: { path } });
  });
  const planned = planOf(round);
  if (planned !== undefined) steps.splice(5, 0, said('I write the plan down.', planned));
  for (const line of linesAt(round, 'edit'))
    steps.splice(9, 0, said('I add the function.', editOf(pathOf(line), line)));
  return [...steps, said([`Part ${round} is done.`, ...linesAt(round, 'closing')].join('\n'))];
}

interface MadeCall {
  readonly name: string;
  readonly arguments: object;
}

/** A plan names the decision that it replaces as superseded. */
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

function said(text: string, call?: MadeCall): Answer {
  const words = { type: 'text', text } as const;
  if (call === undefined) return { parts: [words], stop: 'end', truncated: 'no', usage: {} };
  const id = `toolu_${(calls += 1)}`;
  const made: AnswerPart = { type: 'call', call: id, name: call.name, arguments: JSON.stringify(call.arguments) };
  return { parts: [words, made], stop: 'calls', truncated: 'no', usage: {} };
}

/** A tool under a name that the checkpoint knows. It takes any arguments. */
function workTool(name: string, effect: EffectClass, run: () => string): Tool {
  return {
    name,
    description: `Does a ${name} in the workspace.`,
    schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    effect,
    read: () => ({ title: name, run: async () => ({ text: run() }) }),
  };
}
