// Asks what stands outside the log how it is, and records a note of each source whose revision is another one than it was
// noted with last, that a compaction took away, or that somebody asked for. A source that throws or is too slow is said once,
// and the turn goes on.

import { createHash } from 'node:crypto';
import { noteStanding } from '@tidemark/context';
import type { ContextNoted, EventOf } from '@tidemark/log';
import { graphemesOf } from '@tidemark/model';
import type { Mutex } from '../concurrency.ts';
import { createMutex } from '../concurrency.ts';
import type { ContextSource, NoteCause, SourceView, ToolEffect } from '../ports/context-source.ts';
import type { Mode } from '../ports/permissions.ts';
import type { Notice } from '../ports/session-event.ts';
import type { SourceNote } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { commit } from '../session/session.ts';
import type { TurnContext } from '../session/turn-context.ts';

/** How long a source may take unless it says otherwise, in milliseconds. */
const PATIENCE_MS = 2_000;

/** The revision of a source that has nothing to say any more, and the words of that note. */
const GONE = 'gone';
const GONE_WORDS = 'What this source said before no longer holds; there is nothing in its place.';

/** Packs a note that waits for the next prompt now, without its words a second time. */
const RELEASES = 'The note of this revision before this one is in force.';

/** What asking keeps of an open session: who asks now, which sources were said to fail, and which are to be noted in any case. */
interface SourceState {
  readonly mutex: Mutex;
  readonly failed: Set<string>;
  readonly wanted: Set<string>;
}

const ASKING: WeakMap<Session, SourceState> = new WeakMap();

/**
 * Asks the sources, all of them or those that these calls affect, at once and each within its patience; their notes are one
 * append, in the order of the runtime's list. One asking at a time: of two states of a source the later is noted last.
 *
 * @throws AgentError `agent/conflict`, and what the store throws; never what a source throws.
 */
export function askSources(work: TurnContext, after?: readonly ToolEffect[]): Promise<void> {
  return askingOf(work.session).mutex.pass(async () => {
    if (work.signal.aborted) return;
    const asked = await Promise.all(work.runtime.sources.map((source) => askOne(work, source, after)));
    const notes = asked.filter((note) => note !== undefined);
    if (notes.length === 0 || work.signal.aborted) return;
    await commit(work.session, notes);
    for (const { data } of notes) askingOf(work.session).wanted.delete(data.source);
  });
}

/** Has this source noted when it is asked next, whether its state changed or not. */
export function wantNote(session: Session, name: string): void {
  askingOf(session).wanted.add(name);
}

function askingOf(session: Session): SourceState {
  const held = ASKING.get(session) ?? { mutex: createMutex(), failed: new Set(), wanted: new Set() };
  ASKING.set(session, held);
  return held;
}

type NoteEvent = EventOf<'context.noted'>;

async function askOne(
  work: TurnContext,
  source: ContextSource,
  after: readonly ToolEffect[] | undefined,
): Promise<NoteEvent | undefined> {
  try {
    if (after !== undefined && !after.some((effect) => source.affectedBy(effect))) return undefined;
    return await withinPatience(work, source);
  } catch (error) {
    if (!work.signal.aborted) await sayFailed(work, source.name, error);
    return undefined;
  }
}

async function withinPatience(work: TurnContext, source: ContextSource): Promise<NoteEvent | undefined> {
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

async function noteOf(work: TurnContext, source: ContextSource, signal: AbortSignal): Promise<NoteEvent | undefined> {
  const { session, runtime, turn } = work;
  const noted = session.progress.lastNotes.get(source.name);
  const view = viewOf(work, noted?.revision, signal);
  const said = await source.revision(view);
  const revision = said === undefined ? GONE : await fitRevision(session, textOf(said, 'revision'));
  const cause = said === undefined ? causeOfSilence(session, source, noted) : causeOf(session, source, noted, revision);
  if (cause === undefined) return undefined;
  const words = await wordsOf(session, source, { said, cause, view });
  const fitted = await fitNote(session, words, source.inlineBytes);
  const urgent = isUrgent(session, source, cause) ? { urgent: true } : {};
  const data = { source: source.name, revision, cause, ...urgent, ...fitted };
  return { kind: 'context.noted', at: runtime.surroundings.now(), turn, data };
}

async function wordsOf(
  session: Session,
  source: ContextSource,
  { said, cause, view }: { readonly said: string | undefined; readonly cause: NoteCause; readonly view: SourceView },
): Promise<string> {
  if (said === undefined) return GONE_WORDS;
  const noted = session.progress.lastNotes.get(source.name);
  const releases = cause === 'compacted-away' && noted !== undefined && !isDropped(session, source, noted);
  return releases ? RELEASES : textOf(await source.render(view, cause), 'render');
}

/** What an author without a compiler returns may be anything, and would be said to the model as `undefined`. */
function textOf(given: unknown, from: 'revision' | 'render'): string {
  if (typeof given === 'string') return given;
  throw new TypeError(`\`${from}\` must give a text, and gave ${given === null ? 'null' : typeof given}`);
}

/**
 * The first note stands before a prompt anyway. What a compaction in the midst of a turn took away holds for its rest, and
 * what somebody asks for there is meant for it.
 */
function isUrgent(session: Session, { name, urgent = false }: ContextSource, cause: NoteCause): boolean {
  const { state, progress } = session;
  const noted = progress.lastNotes.get(name);
  if (noted !== undefined && waitsInTurn(session, noted)) return true;
  if (state.turn !== undefined && (cause === 'compacted-away' || cause === 'refreshed')) return true;
  return urgent && cause !== 'initial';
}

function viewOf({ session, runtime }: TurnContext, noted: string | undefined, signal: AbortSignal): SourceView {
  const { state, progress } = session;
  return {
    workspace: state.workspace ?? '',
    now: runtime.surroundings.now(),
    mode: progress.mode ?? 'read-only',
    // Most sources look at none of them.
    get files() {
      return new Map([...progress.knownFiles].map(([path, touch]) => [path, touch.digest]));
    },
    noted,
    signal,
  };
}

function causeOf(
  session: Session,
  source: ContextSource,
  noted: SourceNote | undefined,
  revision: string,
): NoteCause | undefined {
  if (noted === undefined) return 'initial';
  if (askingOf(session).wanted.has(source.name)) return 'refreshed';
  // Before any change: what tells the change alone would tell it of words that are gone.
  if (isDropped(session, source, noted)) return 'compacted-away';
  if (noted.revision === revision) return waitsInTurn(session, noted) ? 'compacted-away' : undefined;
  return source.isAnother?.(noted.revision, revision) === true ? 'switched' : 'changed';
}

/** What was never said, is not in the context, or was taken back before needs no taking back. */
function causeOfSilence(session: Session, source: ContextSource, noted: SourceNote | undefined): NoteCause | undefined {
  if (noted === undefined || noted.revision === GONE || isDropped(session, source, noted)) return undefined;
  return 'invalidated';
}

/** A recorded compaction is taken up by the next request, so a note that it leaves out is dropped already. */
function isDropped(
  { state }: Session,
  { tellsChanges = false }: ContextSource,
  { position, whole }: SourceNote,
): boolean {
  return noteStanding(state, tellsChanges ? whole : position) === 'dropped';
}

/** A compaction during the turn has dropped what the model knew of the source, and the newest note waits for the next prompt. */
function waitsInTurn({ state }: Session, { position }: SourceNote): boolean {
  const { turn, compacted } = state;
  if (turn === undefined || compacted === undefined || compacted.position < position) return false;
  return noteStanding(state, position) === 'waiting';
}

async function sayFailed({ session, tell }: TurnContext, name: string, error: unknown): Promise<void> {
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

// A note is in the context whole, or as its head with the digest under which the whole can be read (L6). Secrets are masked
// before the cut, which could halve a secret beyond recognition, and before the artifact is written.

/** Bytes of a note that stay inline, its own notice included: unless its source says otherwise, and at most. */
const INLINE_NOTE = 4_096;
const MOST_INLINE = 8_192;

const LONGEST_REVISION = 200;
const NOTICE = 220;

/** The body of a note, at most so many bytes, and the artifact of the whole where it is longer. */
async function fitNote(
  { log, secrets }: Pick<Session, 'log' | 'secrets'>,
  text: string,
  inlineBytes: number = INLINE_NOTE,
): Promise<Pick<ContextNoted, 'body' | 'artifact'>> {
  const most = Math.min(Math.max(inlineBytes, INLINE_NOTE), MOST_INLINE);
  const whole = await secrets.mask(text);
  const bytes = Buffer.from(whole);
  if (bytes.length <= most) return { body: whole };
  const { digest, size } = await log.artifacts.put(bytes);
  const head = headOf(whole, most - NOTICE);
  const kept = Buffer.byteLength(head);
  const notice = `[The note is cut here, after ${kept} of ${size} bytes. The whole is the output ${digest}: read it with output_read.]`;
  return { body: `${head}\n${notice}`, artifact: digest };
}

/** A revision as it is kept and compared: masked like everything that is written down, and short. */
async function fitRevision({ secrets }: Pick<Session, 'secrets'>, revision: string): Promise<string> {
  const masked = await secrets.mask(revision);
  return masked.length <= LONGEST_REVISION ? masked : createHash('sha256').update(masked).digest('hex');
}

/** The longest beginning within so many bytes: whole lines where that keeps half of it, else whole graphemes. */
function headOf(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  for (const { segment, index } of graphemesOf(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > limit) break;
    end = index + segment.length;
  }
  const line = text.lastIndexOf('\n', end);
  return text.slice(0, line > end / 2 ? line : end);
}

/**
 * What the note on permissions depends on besides the mode. A model that knows what may run plans better than one that is
 * refused.
 */
export interface PermissionModeOptions {
  /** What is executed need not ask in mode `auto`, sandbox or not. */
  readonly allowUnsandboxed?: boolean;
}

const READS = 'Reading and searching run without asking.';
const ASKED =
  'What is asked is put to the user; where nobody is there to answer it is denied, and the result of the call says so.';

const WORDS: Readonly<Record<Mode, string>> = {
  'read-only': `Permission mode: read-only. ${READS}\nWriting files, running commands and the network are denied.`,
  ask: `Permission mode: ask. ${READS}\nWriting files, running commands and the network are asked first. ${ASKED}`,
  auto: `Permission mode: auto. ${READS} So does writing inside the workspace, and what runs in a sandbox.\nWriting outside the workspace, and commands and the network without a sandbox, are asked first. ${ASKED}`,
};

const UNCONFINED = `Permission mode: auto, unconfined. ${READS} So do writing inside the workspace, running commands and the network.\nWriting outside the workspace is asked first. ${ASKED}`;

/** Notes the permission mode, and each change of it at once: it is urgent. The revision is the mode. */
export function permissionModeSource({ allowUnsandboxed = false }: PermissionModeOptions = {}): ContextSource {
  const isUnconfined = (mode: Mode): boolean => allowUnsandboxed && mode === 'auto';
  return {
    name: 'permission-mode',
    urgent: true,
    revision: ({ mode }) => (isUnconfined(mode) ? `${mode}, unconfined` : mode),
    render: ({ mode }) => (isUnconfined(mode) ? UNCONFINED : WORDS[mode]),
    affectedBy: () => false,
  };
}
