// Asks the hooks of a session about one event. Each hook has a time limit. An answer of another form, an error and the
// end of the time limit are failures. A failure denies or continues, as the hook says, and the person gets a notice.

import type { EventOf } from '@tidemark/log';
import { isBlank } from '@tidemark/model';
import { OVER, abortOf } from '../concurrency.ts';
import { messageOf } from '../errors.ts';
import { canDeny, MAX_HOOK_TIMEOUT_MS } from '../ports/hook-event.ts';
import type { Hook, HookAnswer, HookInput } from '../ports/hooks.ts';
import type { Notice } from '../ports/session-event.ts';
import { matchStars } from '../rules/name-patterns.ts';
import type { TurnContext } from '../session/turn-context.ts';
import { fitNote } from '../sources/ask-sources.ts';

/** Default time limit of one run of a hook, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** Time after which presenters are informed that a hook is running, in milliseconds. */
const MOMENT_MS = 3_000;

/** Longest reason of a denial, in characters. */
const MAX_REASON = 2_000;

/** Longest title of a call in a note, in characters. */
const MAX_TITLE = 200;

/** Part of the context of a turn that hooks need. */
export type HookWork = Pick<TurnContext, 'session' | 'runtime' | 'turn' | 'signal' | 'tell'>;

/** Denial by a hook. */
export interface HookDenial {
  readonly hook: string;
  readonly reason: string;
}

/** Note of a hook as an event that is ready to commit. */
export type HookNote = EventOf<'context.noted'>;

/** Answers of the hooks to one event. */
export interface HookRound {
  /** The first denial. No hook is asked after it. */
  readonly denied: HookDenial | undefined;
  /** Notes of the hooks, in order, as events that are ready to commit. */
  readonly notes: readonly HookNote[];
  /** True if the user interrupted before the last hook answered. */
  readonly interrupted: boolean;
}

/** Returns the part of a hook's input that is the same for each event. */
export function sharedInput({
  session,
  turn,
}: HookWork): Pick<HookInput, 'version' | 'session' | 'parent' | 'turn' | 'workspace' | 'mode'> {
  const { writer, state, progress } = session;
  return {
    version: 1,
    session: writer.session,
    ...(progress.startedBy !== undefined && { parent: progress.startedBy.session }),
    turn,
    workspace: state.workspace ?? '/',
    mode: progress.mode ?? 'read-only',
  };
}

/** Returns the hooks of an event. The prompts and turns of a subagent have none, because no user wrote the prompt. */
export function hooksFor({ runtime, session }: HookWork, on: Hook['on'], tool?: string): readonly Hook[] {
  const { hooks = [] } = runtime;
  if (hooks.length === 0) return hooks;
  const isSubagent = session.progress.startedBy !== undefined;
  if (isSubagent && (on === 'before-prompt' || on === 'turn-ended')) return [];
  return hooks.filter(
    (hook) => hook.on === on && (tool === undefined || (hook.tools?.some((name) => matchStars(name, tool)) ?? true)),
  );
}

/** Form of the notes of a round. */
export interface NoteForm {
  /** Part of the revision that distinguishes the notes of a hook. Absent if `numberNotes` adds it. */
  readonly key?: string;
  /** False for notes that wait for the next prompt. Default: true. */
  readonly urgent?: boolean;
}

/** Asks the hooks one after the other. Never throws for a failure of a hook. */
export async function askHooks(
  work: HookWork,
  hooks: readonly Hook[],
  input: HookInput,
  form: NoteForm = {},
): Promise<HookRound> {
  const notes: HookNote[] = [];
  for (const hook of hooks) {
    const answer = await askHook(work, hook, input);
    if (answer === undefined) return { denied: undefined, notes, interrupted: true };
    const { deny, note } = answer;
    if (note !== undefined && !isBlank(note)) notes.push(await noteOf(work, hook, input, { text: note, ...form }));
    if (deny !== undefined)
      return { denied: { hook: hook.name, reason: shortReason(deny) }, notes, interrupted: false };
  }
  return { denied: undefined, notes, interrupted: false };
}

function shortReason(deny: string): string {
  const reason = deny.trim() === '' ? 'the hook gave no reason' : deny.trim();
  return reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON).toWellFormed()}…` : reason;
}

/** Asks one hook. Returns `undefined` if the user interrupted. */
async function askHook(work: HookWork, hook: Hook, input: HookInput): Promise<HookAnswer | undefined> {
  try {
    const answer = await withinLimit(work, hook, input);
    if (work.signal.aborted) return undefined;
    return readAnswer(answer, hook);
  } catch (cause) {
    if (work.signal.aborted) return undefined;
    return failureOf(work, hook, cause);
  }
}

/** Marks the end of the wait after an interrupt. */
const INTERRUPTED = Symbol('interrupted');

async function withinLimit(work: HookWork, hook: Hook, input: HookInput): Promise<unknown> {
  const { runtime, signal, tell } = work;
  const { surroundings } = runtime;
  const limit = Math.min(hook.timeoutMs ?? TIMEOUT_MS, MAX_HOOK_TIMEOUT_MS);
  const over = new AbortController();
  const tooSlow = new AbortController();
  const stop = AbortSignal.any([signal, tooSlow.signal]);
  const waited = surroundings.wait(limit, AbortSignal.any([signal, over.signal])).then(() => {
    tooSlow.abort();
    throw new Error(`it did not answer within ${limit} ms`);
  });
  const shown = { type: 'hook.waiting', hook: hook.name, on: hook.on, ...callOf(input) } as const;
  let isShown = false;
  void surroundings.wait(MOMENT_MS, AbortSignal.any([stop, over.signal])).then(() => {
    if (over.signal.aborted || stop.aborted) return;
    isShown = true;
    tell({ ...shown, over: false });
  });
  const running = runHook(hook, input, { signal: stop, notice: (notice) => void raiseNotice(work, notice) });
  running.catch(() => undefined);
  waited.catch(() => undefined);
  try {
    return await Promise.race([running, waited, abortOf(signal, over.signal).then(() => INTERRUPTED)]);
  } finally {
    over.abort(OVER);
    if (isShown) tell({ ...shown, over: true });
  }
}

/** Sends a notice of a hook with its text masked. */
async function raiseNotice({ session, tell }: HookWork, { message, next, ...rest }: Notice): Promise<void> {
  const { secrets } = session;
  const notice = { ...rest, message: await secrets.mask(message), next: await secrets.mask(next) };
  tell({ type: 'notice.raised', notice });
}

async function runHook(hook: Hook, input: HookInput, context: Parameters<Hook['run']>[1]): Promise<unknown> {
  return hook.run(input, context);
}

function callOf(input: HookInput): { readonly call?: Extract<HookInput, { readonly call: unknown }>['call'] } {
  return 'call' in input ? { call: input.call } : {};
}

/**
 * Returns the answer in its checked form.
 *
 * @throws Error for an answer of another form.
 */
function readAnswer(answer: unknown, { on }: Hook): HookAnswer {
  if (answer === undefined || answer === null) return {};
  if (typeof answer !== 'object' || Array.isArray(answer)) throw new Error('its answer is not an object');
  const fields = new Map(Object.entries(answer).filter(([, value]) => value !== undefined));
  const unknown = [...fields.keys()].find((name) => name !== 'deny' && name !== 'note');
  if (unknown !== undefined)
    throw new Error(`its answer has the field ${JSON.stringify(unknown.slice(0, 60))}: the fields are deny and note`);
  const deny: unknown = fields.get('deny');
  const note: unknown = fields.get('note');
  if (deny !== undefined && typeof deny !== 'string') throw new Error('its field deny is not a text');
  if (note !== undefined && typeof note !== 'string') throw new Error('its field note is not a text');
  if (deny !== undefined && !canDeny(on)) throw new Error(`it denied, but a hook on ${on} cannot deny`);
  return { ...(deny !== undefined && { deny }), ...(note !== undefined && { note }) };
}

async function failureOf({ session, tell }: HookWork, hook: Hook, cause: unknown): Promise<HookAnswer> {
  const { name, on } = hook;
  const denies = canDeny(on) && (hook.whenItFails ?? 'deny') === 'deny';
  const why = await session.secrets.mask(messageOf(cause));
  const subject = on === 'before-prompt' ? 'prompt' : 'call';
  const next = denies
    ? `The ${subject} was denied. Fix the hook, or set its whenItFails to "continue".`
    : 'The turn continues without it. Fix the hook.';
  const message = `the hook ${name} (${on}) failed: ${why}`;
  tell({ type: 'notice.raised', notice: { code: 'hook/failed', message, next } });
  return denies ? { deny: 'The hook failed, and a failure denies. Only the user can fix it.' } : {};
}

/** Returns the event of a note. A long note is stored whole, and its beginning is in the context. */
async function noteOf(
  { session, runtime, turn }: HookWork,
  { name, on }: Hook,
  input: HookInput,
  { text, key, urgent = true }: NoteForm & { readonly text: string },
): Promise<HookNote> {
  const about = 'call' in input ? `About the call of "${input.tool}" (${titleLine(input.title)}):\n` : '';
  const fitted = await fitNote(session, `${about}${text.trim()}`);
  const revision = key === undefined ? on : `${on} ${key}`;
  const data = { source: `hook:${name}`, revision, cause: 'initial', ...(urgent && { urgent }), ...fitted } as const;
  const head = input.event === 'turn-ended' ? {} : { turn };
  return { kind: 'context.noted', at: runtime.surroundings.now(), ...head, data };
}

function titleLine(title: string): string {
  const line = title.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE).toWellFormed()}…`;
}
