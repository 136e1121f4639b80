// The two long recorded sessions, each cut at several shares of its answers.

import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { emptyState, evolve } from '@tidemark/context';
import type { Log, Recorded } from '@tidemark/log';
import { importInto } from '@tidemark/recording';
import { createMemoryStore } from '@tidemark/store-memory';

import { recordsOf, spansOf, withoutCompactions } from './histories.ts';
import type { Piece } from './pieces.ts';
import { piecesOf } from './pieces.ts';

const TRANSCRIPTS = new URL('../../../../shared/transcripts/', import.meta.url);
const NAMES: readonly string[] = ['claude-code-session-opus', 'pi-coding-session-sonnet'];

/** Shares of a session's answers that are before the cut. */
export const CUTS: readonly number[] = [0.4, 0.6, 0.8];

/** A session at a cut. At the cut a turn is open, but no call is open. */
export interface CutSession {
  readonly name: string;
  readonly cut: number;
  /** Store with the artifacts to which the records refer, such as images. */
  readonly store: Log;
  /** Records before the cut, without compactions. */
  readonly records: readonly Recorded[];
  readonly before: readonly Piece[];
  readonly after: readonly Piece[];
  /** Number of answers before the cut. */
  readonly answers: number;
  readonly workspace: string;
}

/** Returns all cuts of all sessions, or `undefined` if the folder of transcripts is not next to the project. */
export async function cutSessions(): Promise<readonly CutSession[] | undefined> {
  const files = NAMES.map((name) => ({ name, path: fileURLToPath(new URL(`${name}.jsonl`, TRANSCRIPTS)) }));
  const cuts: CutSession[] = [];
  for (const { name, path } of files) {
    if (!(await exists(path))) return undefined;
    const store = createMemoryStore();
    const { session } = await importInto(store, path);
    const records = withoutCompactions(await recordsOf(store, session));
    cuts.push(...CUTS.map((cut) => cutAt({ name, store, records }, cut)));
  }
  return cuts;
}

function cutAt({ name, store, records }: Pick<CutSession, 'name' | 'store' | 'records'>, cut: number): CutSession {
  const count = records.filter(({ kind }) => kind === 'answer.received').length;
  const end = endOf(records, Math.floor(cut * count));
  const workspace = workspaceOf(records);
  const first = records.slice(0, end);
  const spans = spansOf(records);
  const held = spansOf(first).length;
  return {
    name,
    cut,
    store,
    records: first,
    before: piecesOf(spans.slice(0, held), workspace),
    after: piecesOf(spans.slice(held), workspace),
    answers: first.filter(({ kind }) => kind === 'answer.received').length,
    workspace,
  };
}

/** Returns the number of records before the cut. The cut is after this many answers and the results of their calls. */
function endOf(records: readonly Recorded[], answers: number): number {
  let state = emptyState();
  let left = answers;
  for (const [index, record] of records.entries()) {
    state = evolve(state, record);
    if (record.kind === 'answer.received') left -= 1;
    if (left <= 0 && state.history.batch === undefined && !state.history.inFlight) return index + 1;
  }
  throw new Error(`the session has fewer than ${answers} answers: nothing can be cut`);
}

function workspaceOf([first]: readonly Recorded[]): string {
  return first?.kind === 'session.created' ? (first.data.workspace ?? '') : '';
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
