// A compaction as a transaction: planned, made, judged with its real size, and recorded. The record is inert: the epoch that
// opens with the next request alone changes packing, so that a cut anywhere leaves the old context or the new one.

import type { CompactionRefused, HistoryCompacted, Money, Position, Range, TurnId } from '@tidemark/log';
import type {
  Checkpoint,
  CompactionPlan,
  CompactionRefusal,
  CompactionSizes,
  Gauge,
  ModelFields,
} from '@tidemark/context';
import {
  breakCost,
  checkpointText,
  compactionContract,
  gaugeOf,
  judgeCompaction,
  LAST_RUNG,
  planCompaction,
} from '@tidemark/context';
import { AgentError } from '../errors.ts';
import type { Session } from '../session/session.ts';
import { commitInside } from '../session/session.ts';
import type { CompactionTrigger } from '../session/triggers.ts';
import type { Runtime } from '../turn/runtime.ts';
import type { AskBeside, Made } from './ask-for-checkpoint.ts';
import { askForCheckpoint } from './ask-for-checkpoint.ts';
import type { CheckpointSource } from './write-checkpoint.ts';
import { readSource, sizeOfCheckpoint, writeCheckpoint } from './write-checkpoint.ts';

/** What is asked for. */
export interface CompactionOrder {
  readonly trigger: CompactionTrigger;
  /** The first rung of the ladder: 0 unless said. */
  readonly from?: number;
  /** Most tokens of the tail that is kept, and no less is tried: down the ladder from what the budgets say unless given. */
  readonly tail?: number;
  /** Asked for what only a reader of the history can tell; without it no model is. */
  readonly ask?: AskBeside;
  /** Nothing is recorded, refusals neither, and nobody is asked. */
  readonly dryRun?: boolean;
}

/** What came of it. Sizes are estimates, in tokens of the model. */
export interface CompactionReport {
  readonly outcome: 'compacted' | 'planned' | 'refused';
  readonly trigger: CompactionTrigger;
  readonly strategy: HistoryCompacted['strategy'];
  readonly sizes: CompactionSizes;
  readonly refused?: CompactionRefusal;
  readonly range?: Range;
  /** Prompts and steers of the turn under way that stay as they were said. */
  readonly keeps?: readonly Position[];
  /** Messages that stay behind the checkpoint. */
  readonly kept?: number;
  /** Tokens that are written again because of it, and what that costs above reading them; absent when unknown. */
  readonly rewrite?: { readonly tokens: number; readonly cost?: Money };
  readonly limitations?: readonly string[];
  /** Why no model helped, where one was to. */
  readonly fallback?: string;
  /** Its record, where one was made. */
  readonly position?: Position;
}

/** What it is done with. */
export interface Compacting {
  readonly session: Session;
  readonly runtime: Pick<Runtime, 'capabilities' | 'outputLimit' | 'budgets' | 'surroundings'>;
  readonly turn?: TurnId;
}

/** Reads the gauge of a session as it is now. */
export function gaugeNow({ session, runtime }: Compacting): Gauge {
  const { capabilities, outputLimit, budgets, surroundings } = runtime;
  const at = surroundings.now();
  return gaugeOf(session.state, capabilities, { outputLimit, at, ...(budgets && { budgets }) });
}

/**
 * Compacts, down the ladder, or refuses with the sizes.
 *
 * @throws AgentError `agent/conflict` where the history was packed anew meanwhile, and what the store throws.
 */
export async function compactSession(compacting: Compacting, order: CompactionOrder): Promise<CompactionReport> {
  const { session, runtime } = compacting;
  const { state, progress } = session;
  const gauge = gaugeNow(compacting);
  const noted = [...progress.noted.values()].map(({ position }) => position);
  const { tail, from: first = 0 } = order;
  const last = tail === undefined ? LAST_RUNG : first;
  const input = { row: runtime.capabilities, gauge, noted, last, ...(tail !== undefined && { tail }) };
  let from = first;
  for (;;) {
    const plan = planCompaction(state, { ...input, from });
    if ('refused' in plan) return refuse(compacting, order, plan);
    const source = await readSource(session, plan.draft);
    const help = await assist(order, gauge, plan, source);
    const checkpoint = await writeCheckpoint(session, plan, source, help?.fields);
    const { sizes, refused } = judgeCompaction(state, gauge, plan.draft, sizeOfCheckpoint(checkpoint));
    if (refused === undefined) return record(compacting, order, { ...plan, sizes, ...help }, checkpoint);
    if (plan.rung === last) return refuse(compacting, order, { refused, sizes });
    from = plan.rung + 1;
  }
}

/** What a model adds. It is asked behind what the next request would hold, where that leaves room for the question. */
async function assist(
  { ask, trigger, dryRun = false }: CompactionOrder,
  { input, limit }: Gauge,
  { draft: { range }, sizes: { hard } }: CompactionPlan,
  source: CheckpointSource,
): Promise<Help | undefined> {
  if (ask === undefined || dryRun) return undefined;
  const contract = compactionContract({ ...source, range, chunk: Math.floor(hard / 2) });
  const room = input === undefined || trigger === 'overflow_recovery' ? 0 : limit - input;
  return askForCheckpoint(ask, contract, room);
}

/** See `Assistance`. */
interface Help {
  readonly fields?: ModelFields;
  readonly made?: Made;
  readonly fallback?: string;
}

async function refuse(
  { session, runtime, turn }: Compacting,
  { trigger, dryRun = false }: CompactionOrder,
  { refused, sizes }: { readonly refused: CompactionRefusal; readonly sizes: CompactionSizes },
): Promise<CompactionReport> {
  const data: CompactionRefused = { trigger, reason: refused, sizes: flat(sizes) };
  const at = runtime.surroundings.now();
  const event = { kind: 'compaction.refused', at, ...(turn !== undefined && { turn }), data } as const;
  if (!dryRun) await session.turnstile.pass(() => commitInside(session, [event]));
  return { outcome: 'refused', trigger, strategy: 'deterministic', sizes, refused };
}

function flat({ before, after, hard, parts }: CompactionSizes): CompactionRefused['sizes'] {
  return { before, after, hard, ...parts };
}

async function record(
  compacting: Compacting,
  { trigger, dryRun = false }: CompactionOrder,
  { draft, sizes, made, fallback }: Pick<CompactionPlan, 'draft' | 'sizes'> & Help,
  checkpoint: Checkpoint,
): Promise<CompactionReport> {
  const { runtime } = compacting;
  const { range, keeps, kept, shortens } = draft;
  const { strategy, limitations } = checkpoint;
  const rewrite = breakCost(sizes, runtime.capabilities, runtime.surroundings.now());
  const why = fallback === undefined ? {} : { fallback };
  const report = { trigger, strategy, sizes, range, keeps, kept: kept.length, rewrite, limitations, ...why };
  if (dryRun) return { outcome: 'planned', ...report };
  const { text } = checkpointText(checkpoint);
  const position = await append(compacting, {
    range,
    strategy,
    trigger,
    checkpoint: text,
    limitations,
    fields: checkpoint,
    ...(keeps.length === 0 ? {} : { keeps }),
    ...(shortens === undefined ? {} : { shortens }),
    before: sizes.before,
    after: sizes.after,
    ...(made === undefined ? {} : { made: { ...made, model: runtime.capabilities.model } }),
    ...why,
  });
  return { outcome: 'compacted', ...report, position };
}

/** Appended where nobody packs anew in between: what was planned is what the record says. */
function append({ session, runtime, turn }: Compacting, data: HistoryCompacted): Promise<Position> {
  const planned = session.state;
  return session.turnstile.pass(async () => {
    if (session.state.compacted !== planned.compacted || session.state.epoch !== planned.epoch)
      throw overtaken(session);
    const at = runtime.surroundings.now();
    const event = { kind: 'history.compacted', at, ...(turn !== undefined && { turn }), data } as const;
    const [recorded] = await commitInside(session, [event]);
    if (recorded === undefined) throw overtaken(session);
    return recorded.position;
  });
}

function overtaken({ writer }: Session): AgentError {
  const message = `the history of session ${writer.session} was packed anew while it was being compacted: ask again`;
  return new AgentError('agent/conflict', message);
}
