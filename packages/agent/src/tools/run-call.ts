// One call of a tool: what it is given while it runs, the limits and the cut of its output, its images, and the one event that
// closes it as soon as it ends. Facts that the call brought about are appended right after that event.

import { defined } from '@tidemark/core';
import type { CallId, ContentPart, Digest, Event, EventOf, Timestamp, ToolEnded, TurnId } from '@tidemark/log';
import { LogError, digest } from '@tidemark/log';
import { createMutex } from '../concurrency.ts';
import { abandon, openCalls } from '../decide/next-move.ts';
import { AgentError, messageOf } from '../errors.ts';
import type { OutputLimits } from '../output/result-limits.ts';
import { limitsAt } from '../output/result-limits.ts';
import type { ShapedOutput, ToolOutputSink } from '../output/output.ts';
import { openOutput } from '../output/output.ts';
import { shownSize } from '../output/shape-output.ts';
import type { Notice } from '../ports/session-event.ts';
import type { ToolContext, ToolFact, ToolHistory, ToolOutput } from '../ports/tool.ts';
import { keepToolImages } from '../session/keep-images.ts';
import type { Session } from '../session/session.ts';
import { commit, skillsInContext } from '../session/session.ts';
import type { TurnContext } from '../session/turn-context.ts';
import type { ReadyCall } from './ask-about-call.ts';

/** What may end a call before it ends by itself. */
interface CallEndings {
  /** The tool is told to stop. */
  readonly stop: AbortSignal;
  /** Nobody waits for it any longer. */
  readonly givenUp: Promise<void>;
}

/** How the work of a tool ended. */
type RunOutcome = { readonly returned: ToolOutput } | { readonly threw: unknown };

/**
 * Runs a call and closes it by exactly one event. What the tool throws becomes the error of the call; after the user
 * interrupted, what it still returns counts, and what it throws means that it was interrupted.
 *
 * @throws AgentError, LogError when the closing cannot be appended.
 */
export async function runCall(work: TurnContext, ready: ReadyCall, { stop, givenUp }: CallEndings): Promise<void> {
  const { session, runtime } = work;
  const began = runtime.surroundings.elapsed();
  const output = openCallOutput(openOutput({ artifacts: session.log.artifacts, secrets: session.secrets }));
  const outcome = await Promise.race([
    outcomeOf(ready, contextOf(work, ready, output, stop)),
    givenUp.then(() => undefined),
  ]);
  output.close();
  if (outcome === undefined || ('threw' in outcome && stop.aborted)) {
    output.drop();
    // Stopped because another call could not be recorded: this one stays open for the next command to decide (L8).
    if (work.signal.aborted) await commit(session, [abandon(ready.call, 'interrupted', head(work))]);
    return;
  }
  const durationMs = Math.round(runtime.surroundings.elapsed() - began);
  await close(work, ready, durationMs, await closingEvents(work, ready, output, outcome, durationMs));
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
  const { knownFiles, knownOutputs } = session.progress;
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
    fileSeen: (path) => knownFiles.get(path),
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

/** Masked as every other text of a tool is: a message may quote what a command wrote. */
async function raiseNotice(
  { session: { secrets }, tell }: TurnContext,
  { message, next, ...rest }: Notice,
): Promise<void> {
  const notice = { ...rest, message: await secrets.mask(message), next: await secrets.mask(next) };
  tell({ type: 'notice.raised', notice });
}

/** A call sees the log as it stands when it begins. */
function historyOf({ log, writer, state: { length } }: Session): ToolHistory {
  return {
    length,
    read: (from, to) => log.read(writer.session, from, Math.min(to, length)),
    artifact: (name) => log.artifacts.get(name),
  };
}

/** The closing of a call that ended, and its facts. A result that cannot be kept is an error of the call: the tool may have taken effect. */
async function closingEvents(
  work: TurnContext,
  ready: ReadyCall,
  output: CallOutput,
  outcome: RunOutcome,
  durationMs: number,
): Promise<readonly Event[]> {
  try {
    if ('threw' in outcome) return [await faultOf(work, ready, output, outcome.threw, durationMs)];
    const { returned } = outcome;
    const closing = await resultOf(work, ready, output, returned, durationMs);
    const facts = returned.facts?.filter((fact) => holds(fact, closing.data)) ?? [];
    return [closing, ...facts.map((fact) => factOf(work, ready.call, fact))];
  } catch (cause) {
    output.drop();
    return [await closeAsUnkept(work, ready, cause, durationMs)];
  }
}

/** A body that masking made longer than a result may be was cut: it is none, and may be asked for again. */
function holds({ kind }: ToolFact, { shaping }: ToolEnded): boolean {
  return kind !== 'skill.loaded' || shaping === undefined;
}

function factOf(work: TurnContext, call: CallId, fact: ToolFact): Event {
  switch (fact.kind) {
    case 'skill.loaded':
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
  const { text = '', page, images = [], exit, files } = returned;
  const particulars: Particulars = defined({ durationMs, exit, files });
  const { log, secrets } = work.session;
  if (text !== '') await output.add(text);
  const kept = await keepToolImages({ ...work.runtime, artifacts: log.artifacts }, images);
  const limits = limitsOf(work);
  if (page !== undefined) await output.add(await page(limits, async (words) => shownSize(await secrets.mask(words))));
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
  '[A placeholder above, such as [secret:NAME], stands for a secret in the file that you are not shown. Text that includes ' +
  'it cannot match the file. Choose text that ends before the secret or begins after it, or ask the user to change that line.]';

/**
 * What was thrown stands at the end of what was written, so that end is what the model is shown. An edit fails where the
 * model was shown a placeholder and the file holds a secret: only here are both known, so the reason is added here.
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

/** Appends them. A payload that the log refuses would leave the call open for ever: it becomes an error of the call. */
async function close(work: TurnContext, ready: ReadyCall, durationMs: number, events: readonly Event[]): Promise<void> {
  try {
    await commit(work.session, events);
  } catch (cause) {
    if (!(cause instanceof LogError && cause.code === 'log/invalid-event')) throw cause;
    await commit(work.session, [await closeAsUnkept(work, ready, cause, durationMs)]);
  }
}

function closeAsUnkept(
  work: TurnContext,
  { call, tool }: ReadyCall,
  cause: unknown,
  durationMs: number,
): Promise<Event> {
  const words = `"${tool.name}" ran and may have taken effect, but what it came to could not be kept: ${messageOf(cause)}`;
  return closeAsFailed(work, call, words, { durationMs });
}

/** The output of a call that runs. */
interface CallOutput {
  /** For the tool. Await it: that is the backpressure. @throws AgentError `agent/call-ended` once the call has ended. */
  write(chunk: string | Uint8Array): Promise<void>;
  isOpen(): boolean;
  /** From now on the tool writes nothing more. */
  close(): void;
  /** Words of the runtime's, on a line of their own. */
  addLine(text: string): Promise<void>;
  /** Words behind all that was written. */
  add(text: string): Promise<void>;
  /** Shapes it once all of it is written. Rejects with what kept a chunk from being written. */
  finish(options: Parameters<ToolOutputSink['finish']>[0]): Promise<ShapedOutput>;
  /** Throws it away. */
  drop(): void;
}

/** Begins an output. */
export function openCallOutput(output: ToolOutputSink): CallOutput {
  const mutex = createMutex();
  let isOpen = true;
  let isDropped = false;
  let endsLine = true;
  let failure: Promise<void> | undefined;
  const add = (chunk: string | Uint8Array): Promise<void> => {
    const written = mutex.pass(async () => {
      if (isDropped) throw callEnded();
      if (chunk.length > 0) endsLine = typeof chunk === 'string' ? chunk.endsWith('\n') : chunk.at(-1) === 0x0a;
      await output.write(chunk);
    });
    written.catch(() => {
      failure ??= written;
    });
    return written;
  };
  return {
    write: (chunk) => (isOpen ? add(chunk) : refuseWrite()),
    isOpen: () => isOpen,
    close: () => {
      isOpen = false;
    },
    add,
    addLine: async (text) => {
      await mutex.pass(() => Promise.resolve());
      await add(endsLine ? text : `\n${text}`);
    },
    finish: (options) =>
      mutex.pass(async () => {
        await failure;
        return output.finish(options);
      }),
    drop: () => {
      isDropped = true;
      output.drop();
    },
  };
}

/** Who awaits it is told; a tool that writes on without waiting must not bring down the process. */
function refuseWrite(): Promise<void> {
  const refusal = Promise.reject<void>(callEnded());
  refusal.catch(() => undefined);
  return refusal;
}

function callEnded(): AgentError {
  return new AgentError('agent/call-ended', 'this call has ended: nothing more of it is kept, so stop writing');
}

/** As many characters as a notice shows at least. */
const SHORTEST = 12;

/** The one digest that begins so; `undefined` when there is none, more than one, or too little to tell. */
function findOutput(outputs: ReadonlySet<string>, name: string): Digest | undefined {
  if (name.length < SHORTEST) return undefined;
  if (outputs.has(name)) return digest(name);
  const [found, other] = [...outputs].filter((one) => one.startsWith(name));
  return found === undefined || other !== undefined ? undefined : digest(found);
}

/** What is known of a call that ran, beside what it said. */
type Particulars = Pick<ToolEnded, 'exit' | 'durationMs' | 'files'>;

/** The call ran, or was refused: its words as they were shaped, and its images with what is said of them. */
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

/** The call did not do what it was asked, in these words: shaped like any other output, since a tool may have chosen them. */
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

/** What every event of a turn begins with. */
export function head({ runtime, turn }: TurnContext): { readonly at: Timestamp; readonly turn: TurnId } {
  return { at: runtime.surroundings.now(), turn };
}

/**
 * The limit of each result, or its share of the headroom. Calls that land together are each promised the same share, and
 * one that shows less than its share leaves the rest to those behind it: so all of them fit, in whatever order they land.
 */
function limitsOf({ session, runtime }: TurnContext): OutputLimits {
  return limitsAt(session.state, runtime.capabilities, openCalls(session.state).length);
}
