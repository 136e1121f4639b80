// Finds the files that the tools of a session changed from a position on, and the calls whose changes are not known.
// Reads only the log.

import type { CallId, Digest, EffectClass, FileTouch, Log, Recorded, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';

/** State of a file: the digest of its bytes, or `absent` if there is no file. */
export type FileContentState = Digest | 'absent';

/** A file that tools changed, from its state before the first change to its state after the last one. */
export interface ChangedFile {
  /** Absolute path with symlinks resolved, as recorded. */
  readonly path: string;
  /** State before the first change. `undefined` if the log does not contain it. */
  readonly before: FileContentState | undefined;
  /** State that the last change left. */
  readonly after: FileContentState;
  /** Session of the first change: this session, or a subagent. It keeps the bytes of `before`. */
  readonly session: SessionId;
  /** True if something else changed the file between two changes by tools, such as a command or a person. */
  readonly mixed: boolean;
}

/** A call that may have changed files, but whose changes the log does not contain. */
export interface UncertainCall {
  readonly session: SessionId;
  readonly tool: string;
  /** Arguments as the model wrote them, usually JSON. */
  readonly arguments: string;
}

/** Changes of the tools of a session, its subagents included. */
export interface ChangesSince {
  /** Changed files, in the order of their first change. A file that ended as it began is not listed. */
  readonly files: readonly ChangedFile[];
  readonly calls: readonly UncertainCall[];
}

/**
 * Reads the changes from a position (inclusive) to the end of a session. Subagents that were started there count too.
 * The position should be one at which a fork could end, so no call is open before it.
 *
 * @throws LogError as the store does, except for a subagent whose log does not exist: its work is an uncertain call.
 */
export async function changesSince(log: Pick<Log, 'read'>, session: SessionId, from: number): Promise<ChangesSince> {
  const found: Found = { files: new Map(), calls: [], sessions: new Set() };
  await gather(log, session, from, found);
  return { files: [...found.files.values()].filter(isChanged), calls: found.calls };
}

interface Found {
  readonly files: Map<string, ChangedFile>;
  readonly calls: UncertainCall[];
  /** Sessions that were read. A session is read one time, also if a log names it twice. */
  readonly sessions: Set<SessionId>;
}

/** Effects of calls that change no file. */
const HARMLESS: ReadonlySet<EffectClass> = new Set(['none', 'read']);

/** Tools that record each file that they change. A call of them without files changed none. */
const RECORDING: ReadonlySet<string> = new Set(['write', 'edit', 'memory_update']);

interface UnendedCall {
  readonly tool: string;
  readonly arguments: string;
}

async function gather(log: Pick<Log, 'read'>, session: SessionId, from: number, found: Found): Promise<void> {
  found.sessions.add(session);
  const asked = new Map<CallId, UnendedCall>();
  const open = new Map<CallId, UnendedCall>();
  const uncertain = (call: UnendedCall): void => void found.calls.push({ session, ...call });
  for await (const record of log.read(session, from)) {
    noteCalls(record, asked);
    if (record.kind === 'tool.started' && !HARMLESS.has(record.data.effect)) {
      const { call, name } = record.data;
      open.set(call, asked.get(call) ?? { tool: name, arguments: '' });
    } else if (record.kind === 'tool.returned' || record.kind === 'tool.failed') {
      const call = open.get(record.data.call);
      const changes = (record.data.files ?? []).filter(({ as }) => as !== 'read');
      if (call !== undefined && changes.length === 0 && !RECORDING.has(call.tool)) uncertain(call);
      for (const touch of changes) addTouch(found.files, session, touch);
      open.delete(record.data.call);
    } else if (record.kind === 'subagent.started') await gatherSubagent(log, record.data.child, found);
  }
  for (const call of open.values()) uncertain(call);
}

function noteCalls(record: Recorded, asked: Map<CallId, UnendedCall>): void {
  if (record.kind !== 'answer.received' && record.kind !== 'answer.interrupted') return;
  for (const part of record.data.parts)
    if (part.type === 'call') asked.set(part.call, { tool: part.name, arguments: part.arguments });
}

async function gatherSubagent(log: Pick<Log, 'read'>, child: SessionId, found: Found): Promise<void> {
  if (found.sessions.has(child)) return;
  try {
    await gather(log, child, 0, found);
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'log/missing') throw error;
    found.calls.push({ session: child, tool: 'agent', arguments: '' });
  }
}

function addTouch(files: Map<string, ChangedFile>, session: SessionId, { path, digest, before }: FileTouch): void {
  const earlier = files.get(path);
  const after = digest ?? 'absent';
  if (earlier === undefined) files.set(path, { path, before, after, session, mixed: false });
  else files.set(path, { ...earlier, after, mixed: earlier.mixed || before !== earlier.after });
}

function isChanged({ before, after, mixed }: ChangedFile): boolean {
  return mixed || before !== after;
}
