// Asks the context sources for their current state and records notes. A note is recorded in three cases: the revision
// of a source differs from its last recorded revision, a compaction removed its note, or a note was requested. If a
// source throws or is too slow, it raises one notice, and the turn continues.

import { createHash } from 'node:crypto';
import { noteStanding } from '@tidemark/context';
import type { ContextNoted, Event, EventOf } from '@tidemark/log';
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

/** Default time that a source may take, in milliseconds. */
const PATIENCE_MS = 2_000;

/** Revision of a source that has nothing to report any more. Also the text of the note about this. */
const GONE = 'gone';
const GONE_WORDS = 'The earlier notes of this source no longer apply. Nothing replaces them.';

/**
 * Body of a note after which an earlier note applies immediately. The earlier note has the same revision and would
 * otherwise wait for the next prompt. Its text is not repeated.
 */
const RELEASES = 'The previous note with this revision now applies.';

/**
 * State of an open session. It contains the mutex for asking the sources, the names of sources whose failure was
 * reported, and the names of sources whose note is requested.
 */
interface SourceState {
  readonly mutex: Mutex;
  readonly failed: Set<string>;
  readonly wanted: Set<string>;
}

const ASKING: WeakMap<Session, SourceState> = new WeakMap();

/**
 * Asks all sources. With `after`, asks only the sources that these effects of calls concern. The sources are asked in
 * parallel, each with its own time limit. All notes are appended together, in the order of the runtime's list. Only one
 * round runs at a time. If a source has two different states, the later one is therefore noted last.
 *
 * @throws AgentError `agent/conflict`, and errors of the store. Errors of a source are not thrown.
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

/**
 * Asks all sources, and returns the notes that a prompt would record now. Records nothing. The whole text of a long note
 * is stored as an artifact.
 */
export async function findNotes(work: AskingTurn): Promise<readonly Event[]> {
  return askingOf(work.session).mutex.pass(async () => {
    const asked = await Promise.all(work.runtime.sources.map((source) => askOne(work, source, undefined)));
    return asked.filter((note) => note !== undefined);
  });
}

/**
 * Requests a note of this source. The note is recorded the next time that the source is asked, even if its state did
 * not change.
 */
export function wantNote(session: Session, name: string): void {
  askingOf(session).wanted.add(name);
}

function askingOf(session: Session): SourceState {
  const held = ASKING.get(session) ?? { mutex: createMutex(), failed: new Set(), wanted: new Set() };
  ASKING.set(session, held);
  return held;
}

type NoteEvent = EventOf<'context.noted'>;

/** A turn whose sources are asked. */
interface AskingTurn extends TurnContext {
  /** Permission mode that the sources see. Default: the recorded mode. */
  readonly mode?: Mode;
}

async function askOne(
  work: AskingTurn,
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

async function withinPatience(work: AskingTurn, source: ContextSource): Promise<NoteEvent | undefined> {
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

async function noteOf(work: AskingTurn, source: ContextSource, signal: AbortSignal): Promise<NoteEvent | undefined> {
  const { session, runtime, turn } = work;
  const noted = session.progress.lastNotes.get(source.name);
  const view = viewOf(work, noted?.revision, signal);
  const current = await source.revision(view);
  const revision = current === undefined ? GONE : await fitRevision(session, textOf(current, 'revision'));
  const cause =
    current === undefined ? causeOfSilence(session, source, noted) : causeOf(session, source, noted, revision);
  if (cause === undefined) return undefined;
  const words = await wordsOf(session, source, { current, cause, view });
  const fitted = await fitNote(session, words, source.inlineBytes);
  const urgent = isUrgent(session, source, cause) ? { urgent: true } : {};
  const data = { source: source.name, revision, cause, ...urgent, ...fitted };
  return { kind: 'context.noted', at: runtime.surroundings.now(), turn, data };
}

async function wordsOf(
  session: Session,
  source: ContextSource,
  {
    current,
    cause,
    view,
  }: { readonly current: string | undefined; readonly cause: NoteCause; readonly view: SourceView },
): Promise<string> {
  if (current === undefined) return GONE_WORDS;
  const noted = session.progress.lastNotes.get(source.name);
  const releases = cause === 'compacted-away' && noted !== undefined && !isDropped(session, source, noted);
  return releases ? RELEASES : textOf(await source.render(view, cause), 'render');
}

/**
 * Returns the text from a source. Throws for any other value. An author who does not use TypeScript may return
 * `undefined`, and the model would then read this word.
 */
function textOf(given: unknown, from: 'revision' | 'render'): string {
  if (typeof given === 'string') return given;
  throw new TypeError(`\`${from}\` must return a string, but returned ${given === null ? 'null' : typeof given}`);
}

/**
 * Returns true if a note must not wait for the next prompt. During a turn, this applies to a note that a compaction
 * removed and to a requested note, because the rest of the turn needs them. It also applies to a source with `urgent`,
 * except for its first note, which is recorded before a prompt.
 */
function isUrgent(session: Session, { name, urgent = false }: ContextSource, cause: NoteCause): boolean {
  const { state, progress } = session;
  const noted = progress.lastNotes.get(name);
  if (noted !== undefined && waitsInTurn(session, noted)) return true;
  if (state.turn !== undefined && (cause === 'compacted-away' || cause === 'refreshed')) return true;
  return urgent === 'always' || (urgent && cause !== 'initial');
}

function viewOf({ session, runtime, mode }: AskingTurn, noted: string | undefined, signal: AbortSignal): SourceView {
  const { state, progress } = session;
  return {
    workspace: state.workspace ?? '',
    now: runtime.surroundings.now(),
    mode: mode ?? progress.mode ?? 'read-only',
    // The value is computed only when it is read, because most sources do not read the files.
    get files() {
      return new Map([...progress.knownFiles].map(([path, touch]) => [path, touch.digest]));
    },
    noted,
    begun: state.epoch !== undefined,
    ...(progress.agent !== undefined && { agent: progress.agent }),
    session: session.writer.session,
    get processes() {
      return [...progress.processes.values()];
    },
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
  // This check comes before the comparison of revisions. If a note reports only a change, it refers to an earlier text,
  // which would not be in the context any more.
  if (isDropped(session, source, noted)) return 'compacted-away';
  if (noted.revision === revision) return waitsInTurn(session, noted) ? 'compacted-away' : undefined;
  return source.isAnother?.(noted.revision, revision) === true ? 'switched' : 'changed';
}

/**
 * Returns `invalidated` if the note of a source must be withdrawn because the source reports nothing any more. Returns
 * `undefined` if there is nothing to withdraw. This is so if the source was never noted, if its note is not in the
 * context, or if the note was already withdrawn.
 */
function causeOfSilence(session: Session, source: ContextSource, noted: SourceNote | undefined): NoteCause | undefined {
  if (noted === undefined || noted.revision === GONE || isDropped(session, source, noted)) return undefined;
  return 'invalidated';
}

/**
 * Returns true if a recorded compaction removes the note from the context. The next request applies the compaction. The
 * note already counts as dropped before that request.
 */
function isDropped(
  { state }: Session,
  { tellsChanges = false }: ContextSource,
  { position, whole }: SourceNote,
): boolean {
  return noteStanding(state, tellsChanges ? whole : position) === 'dropped';
}

/**
 * Returns true if two conditions are met. A compaction during the turn dropped the last note of the source in the
 * context, and the newest note waits for the next prompt.
 */
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
    next: 'The turn continues without its note. The source is asked again with the next prompt, and a further failure is not reported.',
  };
  tell({ type: 'notice.raised', notice });
}

// A note is in the context in full, or as its beginning with a digest. The whole text can be read under this digest
// (L6). Secrets are masked before the note is cut, because half a secret would not be recognised. They are also masked
// before the artifact is written.

/**
 * Maximum size of a note that stays inline, in bytes, including the notice about the cut. `INLINE_NOTE` is the default.
 * A source cannot set a lower value. `MAX_INLINE` is the maximum that a source can set.
 */
const INLINE_NOTE = 4_096;
const MAX_INLINE = 32_768;

const LONGEST_REVISION = 200;
const NOTICE = 220;

/**
 * Returns the text as the body of a note. If the text is longer than the limit, the body is its beginning with a
 * notice. `artifact` is then the digest under which the whole text is stored. The limit is `inlineBytes`, but at least
 * `INLINE_NOTE` and at most `MAX_INLINE`.
 */
export async function fitNote(
  { log, secrets }: Pick<Session, 'log' | 'secrets'>,
  text: string,
  inlineBytes: number = INLINE_NOTE,
): Promise<Pick<ContextNoted, 'body' | 'artifact'>> {
  const most = Math.min(Math.max(inlineBytes, INLINE_NOTE), MAX_INLINE);
  const whole = await secrets.mask(text);
  const bytes = Buffer.from(whole);
  if (bytes.length <= most) return { body: whole };
  const { digest, size } = await log.artifacts.put(bytes);
  const head = headOf(whole, most - NOTICE);
  const kept = Buffer.byteLength(head);
  const notice = `[The note is cut here, after ${kept} of ${size} bytes. To read the complete note, use output_read with output ${digest}.]`;
  return { body: `${head}\n${notice}`, artifact: digest };
}

/**
 * Returns a revision in the form that is recorded and compared. It is masked like all recorded text. If it is longer
 * than 200 characters, it is replaced by its SHA-256 hash.
 */
async function fitRevision({ secrets }: Pick<Session, 'secrets'>, revision: string): Promise<string> {
  const masked = await secrets.mask(revision);
  return masked.length <= LONGEST_REVISION ? masked : createHash('sha256').update(masked).digest('hex');
}

/**
 * Returns the longest beginning of a text that fits in `limit` bytes. The cut is after the last whole line if this
 * keeps more than half of the beginning. Otherwise the cut is after a whole grapheme.
 */
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
 * Options of the note on permissions, in addition to the mode. The note lists the calls that are allowed to run. The
 * model then plans fewer calls that are refused.
 */
export interface PermissionModeOptions {
  /** True if commands and the network need no confirmation in mode `auto`, with or without a sandbox. */
  readonly allowUnsandboxed?: boolean;
}

const READS = 'Reading and searching run without confirmation.';
const ASKED = 'Without a user, the call is denied and its result says so.';

const WORDS: Readonly<Record<Mode, string>> = {
  'read-only': `Permission mode: read-only. ${READS}\nWriting files, commands and network use are denied.`,
  ask: `Permission mode: ask. ${READS}\nWriting files, commands and network use need the user's confirmation. ${ASKED}`,
  'accept-edits': `Permission mode: accept-edits. Reading, searching and edits inside the workspace run without confirmation.\nCommands, network use, writes outside the workspace and changes of instructions or settings of agents need the user's confirmation. ${ASKED}`,
  auto: `Permission mode: auto. Reading, searching, writes inside the workspace and commands in a sandbox run without confirmation.\nWrites outside the workspace, and commands and network use without a sandbox, need the user's confirmation. ${ASKED}`,
};

const UNSANDBOXED = `Permission mode: auto, no sandbox needed. Reading, searching, writes inside the workspace, commands and network use run without confirmation.\nWrites outside the workspace need the user's confirmation. ${ASKED}`;

/**
 * Creates the source that notes the permission mode. A change of the mode is urgent and is noted immediately. The
 * revision is the name of the mode, with `, unconfined` if commands need no confirmation.
 */
export function permissionModeSource({ allowUnsandboxed = false }: PermissionModeOptions = {}): ContextSource {
  const runsUnsandboxed = (mode: Mode): boolean => allowUnsandboxed && mode === 'auto';
  return {
    name: 'permission-mode',
    urgent: true,
    revision: ({ mode }) => (runsUnsandboxed(mode) ? `${mode}, unconfined` : mode),
    render: ({ mode }) => (runsUnsandboxed(mode) ? UNSANDBOXED : WORDS[mode]),
    affectedBy: () => false,
  };
}
