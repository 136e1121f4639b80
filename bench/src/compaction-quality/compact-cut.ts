// Tidemark's own compaction of a cut session through the engine: it is planned, written, recorded and applied by the
// next request. The result is the content of that request.

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

/** Model that compacts. It has a window of 200,000 tokens. */
export const MODEL = 'claude-sonnet-4-5';

/** Maximum share of the budget for the checkpoint. */
const CHECKPOINT = 0.75;
/** Number of steps in the binary search for the longest tail. */
const RUNS = 9;

let copies = 0;

/**
 * Returns what Tidemark's compaction keeps with its defaults.
 * @throws Error if the compaction is refused.
 */
export async function compactByDefault(session: CutSession): Promise<readonly Piece[]> {
  const kept = await compactOnce(session, {});
  if (kept === undefined) throw new Error(`${session.name}, ${session.cut}: the program does not compact by default`);
  return kept;
}

/**
 * Returns what Tidemark's compaction keeps within `budget` tokens. A binary search finds the longest tail that still
 * fits.
 */
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

/** Compacts a copy of the session once. Returns `undefined` if the tail is so long that the compaction is refused. */
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

/** Returns the content of the packed history after a compaction, including the compaction's checkpoint. */
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
        // The recorded usage belongs to another front and to other compactions, so it is removed and sizes are
        // estimated.
        return [{ ...record, data: { ...record.data, usage: {} } }];
      default:
        return [record];
    }
  });
  await writer.append(events, 0);
  await writer.close();
  return id;
}
