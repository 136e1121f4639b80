// The program's own compaction of a cut session, through the engine: planned, written, recorded, and taken up by the next
// request. What is returned is what that request holds.

import type { Event, Log, Recorded } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { CompactOptions } from '@tidemark/agent';
import { readFold } from '@tidemark/agent';
import { virtualTime } from '@tidemark/agent/contract';
import { slice } from '@tidemark/context';
import { createAgent } from '@tidemark/kit';

import { madeProvider } from '../made-provider.ts';
import type { CutSession } from './cut-sessions.ts';
import type { Piece } from './pieces.ts';
import { piecesOf, tokensOf } from './pieces.ts';

/** The model that compacts: a window of 200,000 tokens. */
export const MODEL = 'claude-sonnet-4-5';

/** Share of a budget that the checkpoint may take. */
const CHECKPOINT = 0.75;
/** Runs that look for the longest tail. */
const RUNS = 9;

let copies = 0;

/** Returns what the program keeps with its defaults. @throws Error where it refuses to compact. */
export async function compactByDefault(session: CutSession): Promise<readonly Piece[]> {
  const kept = await compactOnce(session, {});
  if (kept === undefined) throw new Error(`${session.name}, ${session.cut}: the program does not compact by default`);
  return kept;
}

/** Returns what the program keeps with the longest tail that leaves all of it within `budget` tokens. */
export async function compactWithin(session: CutSession, budget: number): Promise<readonly Piece[]> {
  let best: readonly Piece[] | undefined;
  let [low, high] = [0, 2 * budget];
  for (let run = 0; run < RUNS; run += 1) {
    const tail = Math.floor((low + high) / 2);
    const kept = await compactOnce(session, {
      tailTokens: tail,
      checkpointTokens: Math.floor(CHECKPOINT * budget),
    });
    const fits = kept !== undefined && tokensOf(kept) <= budget;
    if (fits) best = kept;
    [low, high] = fits ? [tail, high] : [low, tail];
  }
  if (best === undefined) throw new Error(`${session.name}: no compaction keeps at most ${budget} tokens`);
  return best;
}

/** Returns nothing where the tail is so long that a compaction would not be worth it. */
async function compactOnce(
  { store, records, name, workspace }: CutSession,
  options: CompactOptions,
): Promise<readonly Piece[] | undefined> {
  const id = await copyInto(store, records, `${name}-${(copies += 1)}`);
  const agent = createAgent({
    model: MODEL,
    provider: madeProvider(() => ({
      parts: [{ type: 'text', text: 'On it.' }],
      stop: 'end',
      truncated: 'no',
      usage: {},
    })),
    store,
    compaction: { pruning: 'never', when: 'manual' },
    host: { clock: virtualTime().surroundings },
  });
  const session = await agent.open(id);
  const report = await session.compact(options);
  if (report.outcome === 'compacted') await session.prompt('Go on.');
  await session.close();
  if (report.refused === 'shrinks-too-little' || report.refused === 'nothing-to-leave-out') return undefined;
  return packedBy(store, id, report.position ?? 0, workspace);
}

/** Returns what is packed of the records up to a compaction, its checkpoint included. */
export async function packedBy(store: Log, id: string, compacted: number, workspace = ''): Promise<readonly Piece[]> {
  const { fold } = await readFold(store, sessionId(id));
  const { epoch, history } = fold.state;
  if (epoch?.opened.checkpoint !== compacted)
    throw new Error(`${id}: no request took up the compaction at ${compacted}`);
  return piecesOf(slice(history.packed), workspace).filter(({ position }) => position <= compacted);
}

async function copyInto(store: Log, records: readonly Recorded[], name: string): Promise<string> {
  const id = sessionId(name);
  const writer = await store.create(id);
  const events = records.flatMap((record): readonly Event[] => {
    switch (record.kind) {
      case 'unknown':
        return [];
      case 'session.created':
        return [{ ...record, data: { ...record.data, id } }];
      case 'answer.received':
        // The counts of the recording are those of its own front and compactions: sizes are estimated here.
        return [{ ...record, data: { ...record.data, usage: {} } }];
      default:
        return [record];
    }
  });
  await writer.append(events, 0);
  await writer.close();
  return id;
}
