// Asks what stands outside the log how it is, and records a note of each source whose revision is another one than it was
// noted with last. A source that throws or is too slow is said once, and the turn goes on.

import type { EventOf } from '@tidemark/log';
import type { Notice } from '../turn/session-event.ts';
import type { Work } from '../turn/work.ts';
import type { Session } from '../session/session.ts';
import { commit } from '../session/session.ts';
import type { Turnstile } from '../session/turnstile.ts';
import { createTurnstile } from '../session/turnstile.ts';
import type { ContextSource, NoteCause, SourceView, ToolEffect } from './context-source.ts';
import { fitNote, fitRevision } from './fit-note.ts';

/** How long a source may take unless it says otherwise, in milliseconds. */
const PATIENCE_MS = 2_000;

/** What asking keeps of an open session: who asks now, and which sources were said to fail. */
interface Asking {
  readonly turnstile: Turnstile;
  readonly failed: Set<string>;
}

const ASKING: WeakMap<Session, Asking> = new WeakMap();

/**
 * Asks the sources, all of them or those that these calls affect, at once and each within its patience; their notes are one
 * append, in the order of the runtime's list. One asking at a time: of two states of a source the later is noted last.
 *
 * @throws AgentError `agent/conflict`, and what the store throws; never what a source throws.
 */
export function askSources(work: Work, after?: readonly ToolEffect[]): Promise<void> {
  return askingOf(work.session).turnstile.pass(async () => {
    if (work.signal.aborted) return;
    const asked = await Promise.all(work.runtime.sources.map((source) => askOne(work, source, after)));
    const notes = asked.filter((note) => note !== undefined);
    if (notes.length > 0 && !work.signal.aborted) await commit(work.session, notes);
  });
}

function askingOf(session: Session): Asking {
  const held = ASKING.get(session) ?? { turnstile: createTurnstile(), failed: new Set() };
  ASKING.set(session, held);
  return held;
}

type Note = EventOf<'context.noted'>;

async function askOne(
  work: Work,
  source: ContextSource,
  after: readonly ToolEffect[] | undefined,
): Promise<Note | undefined> {
  try {
    if (after !== undefined && !after.some((effect) => source.affectedBy(effect))) return undefined;
    return await withinPatience(work, source);
  } catch (error) {
    if (!work.signal.aborted) await sayFailed(work, source.name, error);
    return undefined;
  }
}

async function withinPatience(work: Work, source: ContextSource): Promise<Note | undefined> {
  const { patienceMs = PATIENCE_MS } = source;
  const over = new AbortController();
  const tooSlow = new AbortController();
  const waited = work.runtime.surroundings.wait(patienceMs, AbortSignal.any([work.signal, over.signal])).then(() => {
    tooSlow.abort();
    throw new Error(`it did not answer within ${patienceMs} ms`);
  });
  try {
    return await Promise.race([noteOf(work, source, AbortSignal.any([work.signal, tooSlow.signal])), waited]);
  } finally {
    over.abort();
  }
}

async function noteOf(work: Work, source: ContextSource, signal: AbortSignal): Promise<Note | undefined> {
  const { session, runtime, turn } = work;
  const noted = session.progress.noted.get(source.name);
  const view = viewOf(work, noted?.revision, signal);
  const said = await source.revision(view);
  if (said === undefined) return undefined;
  const revision = await fitRevision(session, said);
  const cause = causeOf(session, noted, revision);
  if (cause === undefined) return undefined;
  const fitted = await fitNote(session, await source.render(view, cause));
  // The first note stands before a prompt anyway. What a compaction in the midst of a turn took away holds for its rest.
  const again = cause === 'compacted-away' && session.state.turn !== undefined;
  const urgent = (source.urgent === true && cause !== 'initial') || again ? { urgent: true } : {};
  const data = { source: source.name, revision, cause, ...urgent, ...fitted };
  return { kind: 'context.noted', at: runtime.surroundings.now(), turn, data };
}

function viewOf({ session, runtime }: Work, noted: string | undefined, signal: AbortSignal): SourceView {
  const { state, progress } = session;
  return {
    workspace: state.workspace ?? '',
    now: runtime.surroundings.now(),
    mode: progress.mode ?? 'read-only',
    // Most sources look at none of them.
    get files() {
      return new Map([...progress.files].map(([path, touch]) => [path, touch.digest]));
    },
    noted,
    signal,
  };
}

function causeOf(
  { state }: Session,
  noted: { readonly revision: string; readonly position: number } | undefined,
  revision: string,
): NoteCause | undefined {
  if (noted === undefined) return 'initial';
  if (noted.revision !== revision) return 'changed';
  // A recorded compaction is taken up by the next request, so what it stands for is as good as gone.
  const dropped = state.compacted !== undefined && noted.position <= state.compacted.data.range.to;
  return dropped ? 'compacted-away' : undefined;
}

async function sayFailed({ session, tell }: Work, name: string, error: unknown): Promise<void> {
  const { failed } = askingOf(session);
  if (failed.has(name)) return;
  failed.add(name);
  const reason = await session.secrets.mask(error instanceof Error ? error.message : String(error));
  const notice: Notice = {
    code: 'source/failed',
    message: `the context source ${name} failed: ${reason}`,
    next: 'The turn goes on without its note; it is asked again with the next prompt, and a further failure is not said.',
  };
  tell({ type: 'notice.raised', notice });
}
