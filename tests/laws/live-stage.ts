// Where a session at work lives through a story: its place, its provider, its clock, and the processes that hold it one
// after another. A process can be closed, or be gone from one instant to the next.

import type { ContextSource, AgentSession, SessionEvent } from '@tidemark/agent';
import type { Agent } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Log, LogWriter, SessionId } from '@tidemark/log';
import type { Capabilities, Provider } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import type { LiveStory, MadeAnswer, World } from './live-commands.ts';
import type { VirtualTime } from '@tidemark/agent/contract';
import { virtualTime } from '@tidemark/agent/contract';
import type { LiveServer } from './live-provider.ts';
import { liveServer } from './live-provider.ts';
import { sayingOf } from './live-saying.ts';
import type { Ran, Workshop } from './live-tools.ts';
import { askerOf, toolsOf } from './live-tools.ts';
import type { Place } from './place.ts';

/** What somebody was promised, and what came of it. */
export interface Promised {
  readonly what: 'prompt' | 'resume' | 'steer' | 'side' | 'mode' | 'notify' | 'refresh' | 'interrupt';
  /** The words that name it in the log. */
  readonly words: string;
  readonly life: number;
  came: { readonly value: unknown } | { readonly error: unknown } | undefined;
}

/** What a process knows of its log: records that were flushed, and how often it began or ended to write. */
export interface Disk {
  flushed: number;
  writes: number;
}

/** One process that holds the session. */
export interface Life {
  readonly number: number;
  readonly place: Place;
  readonly agent: Agent;
  readonly provider: Provider;
  readonly live: AgentSession;
  readonly shop: Workshop & { alive: boolean };
  readonly disk: Disk;
  readonly told: SessionEvent[];
  readonly release: () => void;
}

/** A session at work through a story. */
export interface Stage {
  readonly clock: VirtualTime;
  readonly server: LiveServer;
  readonly steps: number | undefined;
  readonly slow: boolean;
  readonly places: Place[];
  readonly promised: Promised[];
  readonly ran: Ran[];
  /** What the main stream is answered next, and each side call by its words. */
  script: MadeAnswer[];
  readonly beside: Map<string, MadeAnswer>;
  readonly ids: string[];
  world: World;
  revision: number;
  model: number;
  nonce: number;
  id: SessionId | undefined;
  life: Life;
}

const MODELS = ['claude-sonnet-4-5', 'claude-opus-5-5', 'claude-sonnet-4-6', 'claude-haiku-4-5'] as const;

/** Begins a session in a place. */
export async function beginStage(
  place: Place,
  { model, steps, slow }: Pick<LiveStory, 'model' | 'steps' | 'slow'>,
): Promise<Stage> {
  const made: Omit<Stage, 'life'> = {
    clock: virtualTime(),
    server: liveServer(),
    steps,
    slow,
    places: [place],
    promised: [],
    ran: [],
    script: [],
    beside: new Map(),
    ids: [],
    world: 'silent',
    revision: 0,
    model,
    nonce: 0,
    id: undefined,
  };
  const stage: Stage = Object.assign(made, { life: await beginLife(made, place, 0) });
  stage.id = stage.life.live.id;
  return stage;
}

/** The catalog row of a model by its number. */
export function rowOf(model: number): Capabilities {
  const name = MODELS[model] ?? MODELS[0];
  const row = findModel(defaultCatalog(), name, 'anthropic');
  if (row === undefined) throw new Error(`the catalog has no ${name}`);
  return row;
}

/** A process takes up the session, or begins it. */
export async function beginLife(stage: Omit<Stage, 'life'>, place: Place, number: number): Promise<Life> {
  const released = Promise.withResolvers<void>();
  const shop = {
    surroundings: stage.clock.surroundings,
    ran: stage.ran,
    alive: true,
    isAlive: (): boolean => shop.alive,
    released: released.promise,
  };
  const disk: Disk = { flushed: 0, writes: 0 };
  const { clock, steps } = stage;
  const provider = stage.server.providerOf({
    clock,
    isAlive: shop.isAlive,
    released: released.promise,
    saying: (body) => sayingOf(stage, body),
  });
  const agent = createAgent({
    model: rowOf(stage.model).model,
    provider,
    store: watched(place.open(), disk, stage.slow),
    tools: toolsOf(shop, 0),
    context: { sources: [worldSource(stage)] },
    permissions: { mode: 'auto', ask: askerOf(shop) },
    ...(steps === undefined ? {} : { limits: { steps } }),
    connection: { retry: { attempts: 3, initialDelayMs: 100, maxDelayMs: 400 } },
    host: { clock: clock.surroundings },
  });
  const live = await agent.open(stage.id);
  const told: SessionEvent[] = [];
  void listen(live, told);
  return { number, place, agent, provider, live, shop, disk, told, release: released.resolve };
}

async function listen(live: AgentSession, told: SessionEvent[]): Promise<void> {
  try {
    for await (const event of live.events()) told.push(event);
  } catch {
    // What breaks a session is told to whoever commands it.
  }
}

/** Something outside the log. */
function worldSource(stage: Omit<Stage, 'life'>): ContextSource {
  return {
    name: 'world',
    get urgent() {
      return stage.world === 'urgent';
    },
    async revision({ signal }) {
      if (stage.world === 'throws') throw new Error('the world is out of reach');
      if (stage.world === 'slow') await stage.clock.surroundings.wait(60_000, signal);
      if (stage.world === 'silent') return undefined;
      return `r${stage.revision}`;
    },
    render: () => `The world is at ${stage.revision}.`,
    affectedBy: ({ effect }) => effect === 'write',
  };
}

/** The store, with what it does remembered. */
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
