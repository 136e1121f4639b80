// Session of an agent on which a story is performed: its store, its server, a virtual clock, and the simulated
// processes that open the session one after another. A process can be closed, or can crash at any instant.

import type { AgentSession, ContextSource, SessionEvent } from '@tidemark/agent';
import type { VirtualTime } from '@tidemark/agent/contract';
import { virtualTime } from '@tidemark/agent/contract';
import type { AgentHook, Agent } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Log, LogWriter, SessionId } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import type { AgentAnswer, AgentStory, SourceBehavior } from './agent-commands.ts';
import type { AgentProviders } from './agent-provider.ts';
import { agentProviders } from './agent-provider.ts';
import type { Run, Workshop } from './agent-tools.ts';
import { askerOf, toolsOf } from './agent-tools.ts';
import type { Counters } from './content.ts';
import { newCounters } from './content.ts';
import type { Place } from './place.ts';
import { capabilitiesOf } from './settings.ts';

/** A command whose call returns a promise. `result` is undefined until the promise is settled. */
export interface Promised {
  readonly what: 'prompt' | 'resume' | 'steer' | 'side' | 'mode' | 'notify' | 'refresh' | 'interrupt';
  /** Words that identify the command in the log. */
  readonly words: string;
  /** Number of the process that got the command. */
  readonly process: number;
  result: { readonly value: unknown } | { readonly error: unknown } | undefined;
}

interface Disk {
  /** Number of records that were flushed. */
  flushed: number;
  /**
   * Number of starts and ends of writes. Each write counts twice, so that a command can come in the middle of a write.
   */
  writes: number;
}

/** Simulated process that has the session open. */
export interface Process {
  readonly number: number;
  readonly place: Place;
  readonly agent: Agent;
  readonly provider: Provider;
  readonly session: AgentSession;
  readonly workshop: Workshop & { alive: boolean };
  readonly disk: Disk;
  readonly events: SessionEvent[];
  /** Ends every tool and stream that ignores its abort signal. */
  readonly release: () => void;
}

/** State of an agent's session while the commands of a story are performed. */
export interface Stage {
  readonly clock: VirtualTime;
  readonly providers: AgentProviders;
  readonly steps: number | undefined;
  readonly slow: boolean;
  readonly places: Place[];
  readonly promised: Promised[];
  readonly runs: Run[];
  readonly counters: Counters;
  /** Remaining answers of the main stream. After the last one, the model answers "Done.". */
  script: AgentAnswer[];
  /** Answers of side calls, by the name in the text of the call, such as `[beside 7]`. */
  readonly beside: Map<string, AgentAnswer>;
  /** Numbers of the processes that crashed. */
  readonly crashed: Set<number>;
  source: SourceBehavior;
  sourceRevision: number;
  model: number;
  id: SessionId | undefined;
  process: Process;
}

/** Creates a session in the store of `place`, and starts its first process. */
export async function beginStage(
  place: Place,
  { model, steps, slow }: Pick<AgentStory, 'model' | 'steps' | 'slow'>,
): Promise<Stage> {
  const begun: Omit<Stage, 'process'> = {
    clock: virtualTime(),
    providers: agentProviders(),
    steps,
    slow,
    places: [place],
    promised: [],
    runs: [],
    counters: newCounters(),
    script: [],
    beside: new Map(),
    crashed: new Set(),
    source: 'silent',
    sourceRevision: 0,
    model,
    id: undefined,
  };
  const stage: Stage = Object.assign(begun, { process: await startProcess(begun, place, 0) });
  stage.id = stage.process.session.id;
  return stage;
}

/** Starts a process. It opens the session of the stage, or creates the session if the stage has none. */
export async function startProcess(stage: Omit<Stage, 'process'>, place: Place, number: number): Promise<Process> {
  const released = Promise.withResolvers<void>();
  const workshop = {
    clock: stage.clock.surroundings,
    runs: stage.runs,
    alive: true,
    isAlive: (): boolean => workshop.alive,
    released: released.promise,
  };
  const disk: Disk = { flushed: 0, writes: 0 };
  const { clock, steps } = stage;
  const provider = stage.providers.open({
    clock,
    isAlive: workshop.isAlive,
    released: released.promise,
    answerTo: (body) => answerTo(stage, body),
    counters: stage.counters,
  });
  const agent = createAgent({
    model: capabilitiesOf('simulator', stage.model).model,
    provider,
    store: watched(place.open(), disk, stage.slow),
    tools: toolsOf(workshop, 0),
    context: { sources: [sourceOf(stage)] },
    hooks: stage.slow ? hooksOf(workshop) : [],
    permissions: { mode: 'auto', ask: askerOf(workshop) },
    ...(steps === undefined ? {} : { limits: { maxSteps: steps } }),
    connection: { retry: { attempts: 3, initialDelayMs: 100, maxDelayMs: 400 } },
    host: { clock: clock.surroundings },
  });
  const session = await agent.open(stage.id);
  const events: SessionEvent[] = [];
  void listen(session, events);
  return { number, place, agent, provider, session, workshop, disk, events, release: released.resolve };
}

/**
 * Returns hooks that add a note about some calls, each prompt and each turn, and that fail for some calls. The notes
 * depend only on the call, so a resumed turn gets the same ones.
 */
function hooksOf({ isAlive }: Pick<Process['workshop'], 'isAlive'>): readonly AgentHook[] {
  const share = (call: string): number => (call.codePointAt(call.length - 1) ?? 0) % 3;
  return [
    { on: 'before-prompt', run: () => ({ note: 'A prompt was checked.' }) },
    { on: 'before-tool', run: (input) => ('call' in input && share(input.call) === 0 ? { note: 'Take care.' } : {}) },
    {
      on: 'after-tool',
      run: async (input) => {
        await new Promise(setImmediate);
        if (!isAlive()) return undefined;
        if ('call' in input && share(input.call) === 1) throw new Error('the check is broken');
        return { note: 'It was checked.' };
      },
    },
    { on: 'turn-ended', run: () => ({ note: 'The turn was seen.' }) },
  ];
}

async function listen(session: AgentSession, events: SessionEvent[]): Promise<void> {
  try {
    for await (const event of session.events()) events.push(event);
  } catch {
    // An error that breaks the session also rejects the command that caused it.
  }
}

/** Matches the name in the text of a side call. No other text contains such a name. */
const BESIDE = /\[beside \d+\]/g;

function answerTo({ script, beside }: Omit<Stage, 'process'>, body: string): AgentAnswer | undefined {
  const name = body.match(BESIDE)?.at(-1);
  return name === undefined ? script.shift() : beside.get(name);
}

function sourceOf(stage: Omit<Stage, 'process'>): ContextSource {
  return {
    name: 'world',
    get urgent() {
      return stage.source === 'urgent';
    },
    async revision({ signal }) {
      if (stage.source === 'throws') throw new Error('the context source cannot be read');
      if (stage.source === 'slow') await stage.clock.surroundings.wait(60_000, signal);
      if (stage.source === 'silent') return undefined;
      return `r${stage.sourceRevision}`;
    },
    render: () => `The world is at ${stage.sourceRevision}.`,
    affectedBy: ({ effect }) => effect === 'write',
  };
}

/**
 * Returns the store with writers that count their writes in `disk`. With `slow`, each write waits for a turn of the
 * event loop.
 */
function watched(log: Log, disk: Disk, slow: boolean): Log {
  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    disk.writes += 1;
    if (slow) await new Promise(setImmediate);
    const done = await work();
    disk.writes += 1;
    return done;
  };
  const watch = (writer: LogWriter): LogWriter => {
    disk.flushed = writer.length;
    return {
      session: writer.session,
      fence: writer.fence,
      get length() {
        return writer.length;
      },
      get chain() {
        return writer.chain;
      },
      append: (events, expected) => write(() => writer.append(events, expected)),
      async sync() {
        const { length } = writer;
        await write(() => writer.sync());
        disk.flushed = Math.max(disk.flushed, length);
      },
      close: () => writer.close(),
    };
  };
  return {
    ...log,
    create: async (id, parent) => watch(await log.create(id, parent)),
    open: async (id) => watch(await log.open(id)),
  };
}
