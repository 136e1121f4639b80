// Runs one call of a tool: builds its context, limits and shapes its output, and stores its images. When the call ends,
// one event closes it. Facts that the call caused are appended directly after that event.

import { defined } from '@tidemark/core';
import type {
  CallId,
  ContentPart,
  Digest,
  Event,
  EventOf,
  Recorded,
  Timestamp,
  ToolEnded,
  TurnId,
  UndoStore,
} from '@tidemark/log';
import { LogError, digest } from '@tidemark/log';
import { abandon, openCalls } from '../decide/next-move.ts';
import { messageOf } from '../errors.ts';
import type { LiveOutput } from '../output/live-output.ts';
import { openLiveOutput } from '../output/live-output.ts';
import type { OutputLimits } from '../output/result-limits.ts';
import { limitsAt } from '../output/result-limits.ts';
import type { ShapedOutput } from '../output/output.ts';
import { openOutput } from '../output/output.ts';
import { shownSize } from '../output/shape-output.ts';
import type { KeptFiles, ToolContext, ToolFact, ToolHistory, ToolOutput } from '../ports/tool.ts';
import { keepToolImages } from '../session/keep-images.ts';
import { seenFile } from '../session/known-files.ts';
import type { Session } from '../session/session.ts';
import { commit, skillsInContext } from '../session/session.ts';
import type { TurnContext } from '../session/turn-context.ts';
import { raiseNotice } from '../session/turn-context.ts';
import type { ReadyCall } from './ask-about-call.ts';
import type { CallOutput } from './call-output.ts';
import { openCallOutput } from './call-output.ts';
import { hooksAfterTool } from './hooks-of-calls.ts';

interface CallEndings {
  /** Signal that aborts when the tool must stop. */
  readonly stop: AbortSignal;
  /** Resolves when the runtime no longer waits for the call. */
  readonly givenUp: Promise<void>;
}

type RunOutcome = { readonly returned: ToolOutput } | { readonly threw: unknown };

/**
 * Runs a call and closes it by exactly one event. An error of the tool becomes the error of the call. After an
 * interrupt, the tool may still return a result, which counts. After an interrupt, an error means that the call was
 * interrupted.
 *
 * @throws AgentError, LogError if the closing event cannot be appended.
 */
export async function runCall(work: TurnContext, ready: ReadyCall, { stop, givenUp }: CallEndings): Promise<void> {
  const { session, runtime } = work;
  const began = runtime.surroundings.elapsed();
  const output = openCallOutput(
    openOutput({
      artifacts: session.log.artifacts,
      secrets: session.secrets,
      ...defined({ terminal: ready.tool.terminal }),
    }),
    liveOutputOf(work, ready),
  );
  const outcome = await Promise.race([
    outcomeOf(ready, contextOf(work, ready, output, stop)),
    givenUp.then(() => undefined),
  ]);
  output.close();
  if (outcome === undefined || ('threw' in outcome && stop.aborted)) {
    output.drop();
    // Without an interrupt by the user, the call was stopped because another call could not be recorded. It then stays
    // open, and the next command decides about it (L8).
    if (work.signal.aborted) await commit(session, [abandon(ready.call, 'interrupted', head(work))]);
    return;
  }
  const durationMs = Math.round(runtime.surroundings.elapsed() - began);
  const closing = await close(work, ready, durationMs, await closingEvents(work, ready, output, outcome, durationMs));
  await hooksAfterTool({ ...work, signal: stop }, ready, closing);
}

function liveOutputOf(
  { session: { secrets }, runtime: { surroundings }, tell }: TurnContext,
  { call }: ReadyCall,
): LiveOutput {
  return openLiveOutput({ secrets, surroundings, send: (text) => tell({ type: 'tool.output', call, text }) });
}

async function outcomeOf({ run }: ReadyCall, context: ToolContext): Promise<RunOutcome> {
  try {
    return { returned: await run.run(context) };
  } catch (threw) {
    return { threw };
  }
}

function contextOf(
  work: TurnContext,
  { call, approved }: ReadyCall,
  output: CallOutput,
  signal: AbortSignal,
): ToolContext {
  const { session, tell, delegate } = work;
  const { knownOutputs } = session.progress;
  const progress = (text: string): void => {
    if (output.isOpen()) tell({ type: 'tool.progressed', call, text });
  };
  return {
    session: session.writer.session,
    call,
    signal,
    ...(approved !== undefined && { approved }),
    write: output.write,
    mask: (text) => session.secrets.mask(text),
    progress,
    notice: (notice) => void raiseNotice(work, notice),
    fileSeen: (path) => seenFile(session.progress, path, session.state),
    ...(session.log.undo !== undefined && { undo: keptFilesOf(work, session.log.undo) }),
    output: (name) => {
      const found = findOutput(knownOutputs, name);
      return found === undefined ? undefined : session.log.artifacts.get(found);
    },
    history: historyOf(session),
    skills: skillsInContext(session),
    room: () => limitsOf(work),
    ...(delegate !== undefined && { delegate: (order) => delegate({ call, order, signal, say: progress }) }),
  };
}

function keptFilesOf(work: TurnContext, undo: UndoStore): KeptFiles {
  const { session } = work.session.writer;
  return {
    largest: undo.largest,
    async keep(bytes) {
      try {
        await undo.keep(session, bytes);
      } catch (cause) {
        const message = `the content of a file could not be kept before a change: ${messageOf(cause)}`;
        const next = 'The change is made, and the file cannot be restored with rewind.';
        await raiseNotice(work, { code: 'undo/not-kept', message, next });
      }
    },
  };
}

/** Returns the log in its state at the beginning of the call. Later records are not visible to the call. */
function historyOf({ log, writer, state: { length } }: Session): ToolHistory {
  return {
    length,
    read: (from, to) => log.read(writer.session, from, Math.min(to, length)),
    artifact: (name) => log.artifacts.get(name),
  };
}

/**
 * Returns the closing event of a finished call and the events of its facts. If a result cannot be stored, it becomes an
 * error of the call, because the tool may already have taken effect.
 */
async function closingEvents(
  work: TurnContext,
  ready: ReadyCall,
  output: CallOutput,
  outcome: RunOutcome,
  durationMs: number,
): Promise<readonly Event[]> {
  try {
    if ('threw' in outcome) {
      work.tell({ type: 'tool.threw', call: ready.call, tool: ready.tool.name, error: outcome.threw });
      return [await faultOf(work, ready, output, outcome.threw, durationMs)];
    }
    const { returned } = outcome;
    const closing = await resultOf(work, ready, output, returned, durationMs);
    const facts = returned.facts?.filter((fact) => holds(fact, closing.data)) ?? [];
    return [closing, ...facts.map((fact) => factOf(work, ready.call, fact))];
  } catch (cause) {
    output.drop();
    return [await closeAsUnkept(work, ready, cause, durationMs)];
  }
}

/**
 * Returns true if the fact is still true for the recorded result. Masking can make a skill body too long, so that it is
 * cut. Such a body does not count as loaded and can be requested again.
 */
function holds({ kind }: ToolFact, { shaping }: ToolEnded): boolean {
  return kind !== 'skill.loaded' || shaping === undefined;
}

function factOf(work: TurnContext, call: CallId, fact: ToolFact): Event {
  switch (fact.kind) {
    case 'skill.loaded':
      return { ...head(work), kind: fact.kind, data: { ...fact.data, call } };
    case 'tool.charged':
      return { ...head(work), kind: fact.kind, data: { ...fact.data, call } };
    case 'memory.changed':
      return { ...head(work), kind: fact.kind, data: fact.data };
    case 'subagent.ended':
      return { ...head(work), kind: fact.kind, data: fact.data };
  }
}

async function resultOf(
  work: TurnContext,
  { call, tool }: ReadyCall,
  output: CallOutput,
  returned: ToolOutput,
  durationMs: number,
): Promise<ReturnType<typeof closingEvent>> {
  const { text = '', page, images = [], exit } = returned;
  const { log, secrets } = work.session;
  if (text !== '') await output.add(text);
  const kept = await keepToolImages({ ...work.runtime, artifacts: log.artifacts }, images);
  const limits = limitsOf(work);
  if (page !== undefined) await output.add(await page(limits, async (words) => shownSize(await secrets.mask(words))));
  const files = page === undefined ? returned.files : [...(returned.files ?? []), ...(returned.pageFiles?.() ?? [])];
  const particulars: Particulars = defined({ durationMs, exit, files: files?.length === 0 ? undefined : files });
  const shaped = await output.finish({ limits, keeps: tool.truncate === 'start' ? 'tail' : 'head' });
  return closingEvent(
    work,
    returned.failed === true ? 'tool.failed' : 'tool.returned',
    call,
    shaped,
    kept,
    particulars,
  );
}

const HIDES_SECRET =
  '[A placeholder above, such as [secret:NAME], replaces a secret in the file that you are not shown. Text that includes ' +
  'it cannot match the file. Choose text that ends before the secret or begins after it, or ask the user to change that line.]';

/**
 * Returns the closing event of a call that threw. The error message comes after the written output, so the model is
 * shown the end of the output. A write can fail because the model was shown a placeholder instead of a secret in the
 * file. The tool does not know this reason. If the error message contains a secret, the reason is added here.
 */
async function faultOf(
  work: TurnContext,
  { call, tool }: ReadyCall,
  output: CallOutput,
  threw: unknown,
  durationMs: number,
): Promise<Event> {
  const message = messageOf(threw);
  await output.addLine(message);
  if (tool.effect === 'write' && (await work.session.secrets.mask(message)) !== message) {
    await output.addLine(HIDES_SECRET);
  }
  const shaped = await output.finish({ limits: limitsOf(work), keeps: 'tail' });
  return closingEvent(work, 'tool.failed', call, shaped, [], { durationMs });
}

/**
 * Appends the closing events of a call, and returns their records. If the log refuses a payload, the call is closed as
 * failed. Otherwise it would stay open.
 */
async function close(
  work: TurnContext,
  ready: ReadyCall,
  durationMs: number,
  events: readonly Event[],
): Promise<readonly Recorded[]> {
  try {
    return await commit(work.session, events);
  } catch (cause) {
    if (!(cause instanceof LogError && cause.code === 'log/invalid-event')) throw cause;
    return commit(work.session, [await closeAsUnkept(work, ready, cause, durationMs)]);
  }
}

function closeAsUnkept(
  work: TurnContext,
  { call, tool }: ReadyCall,
  cause: unknown,
  durationMs: number,
): Promise<Event> {
  const words = `"${tool.name}" ran and may have taken effect, but its result could not be recorded: ${messageOf(cause)}`;
  return closeAsFailed(work, call, words, { durationMs });
}

/** Minimum length of an abbreviated digest, in characters. Notices print at least this many characters of a digest. */
const SHORTEST = 12;

/**
 * Returns the only digest that begins with this name. Returns `undefined` if no digest or more than one matches, or if
 * the name is shorter than 12 characters.
 */
function findOutput(outputs: ReadonlySet<string>, name: string): Digest | undefined {
  if (name.length < SHORTEST) return undefined;
  if (outputs.has(name)) return digest(name);
  const [found, other] = [...outputs].filter((one) => one.startsWith(name));
  return found === undefined || other !== undefined ? undefined : digest(found);
}

type Particulars = Pick<ToolEnded, 'exit' | 'durationMs' | 'files'>;

function closingEvent(
  work: TurnContext,
  kind: 'tool.returned' | 'tool.failed',
  call: CallId,
  shaped: ShapedOutput,
  images: readonly ContentPart[] = [],
  particulars: Particulars = {},
): EventOf<'tool.returned'> | EventOf<'tool.failed'> {
  const { text, output, shaping } = shaped;
  const words: readonly ContentPart[] = text === '' ? [] : [{ type: 'text', text }];
  const data: ToolEnded = {
    call,
    parts: [...words, ...images],
    ...defined({ output, shaping }),
    ...particulars,
  };
  return { ...head(work), kind, data };
}

/**
 * Returns the closing event of a call that failed with this text. The text is shaped like any other output, because it
 * may come from a tool.
 */
export async function closeAsFailed(
  work: TurnContext,
  call: CallId,
  words: string,
  particulars: Particulars = {},
): Promise<Event> {
  const { session } = work;
  const output = openOutput({ artifacts: session.log.artifacts, secrets: session.secrets });
  await output.write(words);
  const shaped = await output.finish({ limits: limitsOf(work), keeps: 'head' });
  return closingEvent(work, 'tool.failed', call, shaped, [], particulars);
}

/** Returns the time and the turn for an event of this turn. */
export function head({ runtime, turn }: TurnContext): { readonly at: Timestamp; readonly turn: TurnId } {
  return { at: runtime.surroundings.now(), turn };
}

/**
 * Returns the output limits of a result: the fixed limit, or the call's share of the headroom if this share is smaller.
 * Open calls get equal shares. If a call uses less than its share, the later calls get the rest. All results therefore
 * fit in any order.
 */
function limitsOf({ session, runtime }: TurnContext): OutputLimits {
  return limitsAt(session.state, runtime.capabilities, openCalls(session.state).length, runtime.budgets);
}
