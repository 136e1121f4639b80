// Session worker: takes up sessions that have work, runs their commands in order, and continues the turns of workers
// that were killed. The lease of a session decides which worker runs it.

import { LogError } from '@tidemark/log';
import type { SessionId } from '@tidemark/log';
import type { CommandQueue, LiveStates, TenantSession } from '@tidemark/store-postgres';

import type { StatePublisher } from './publish-states.ts';
import { createStatePublisher } from './publish-states.ts';
import type { TenantApp } from './run-command.ts';
import { runCommand, send } from './run-command.ts';
import type { WakeUp } from './wake-up.ts';

/** Options of a worker. */
export interface SessionWorkerOptions {
  /** Name of this process, which its store has too. No other process has it. */
  readonly name: string;
  readonly queue: CommandQueue;
  readonly wakeUp: WakeUp;
  /** Gets the states of the open sessions, so that servers can show them. */
  readonly states: LiveStates;
  /** Opens the sessions of a tenant. It is called once for each tenant. */
  openTenant(tenant: string): Promise<TenantApp>;
  /** Called with errors that no command gets. The worker goes on after them. */
  onError(error: unknown): void;
  /** Time between two looks for missed sessions, in milliseconds. Default: 5 seconds. */
  readonly sweepMs?: number;
}

/** A worker. */
export interface SessionWorker {
  /** Stops taking up sessions, and waits for the commands that run. */
  stop(): Promise<void>;
}

/** Time between two looks for commands of the sessions that this worker has open, in milliseconds. */
const LOOK_MS = 100;

/** Time between two looks at the states of the open sessions, in milliseconds. */
const STATE_MS = 250;

/** Time between two beats for the commands that run, in milliseconds. */
const BEAT_MS = 3_000;

/** Sessions that one sweep takes up. */
const SWEPT = 50;

/** Starts a worker. */
export async function startSessionWorker(options: SessionWorkerOptions): Promise<SessionWorker> {
  const worker = new Worker(options);
  await worker.start();
  return worker;
}

class Worker implements SessionWorker {
  readonly #options: SessionWorkerOptions;
  readonly #tenants = new Map<string, Promise<TenantApp>>();
  /** Visits that run, by tenant and session. A session that is woken during its visit is visited again. */
  readonly #visits = new Map<string, { again: boolean; readonly ended: Promise<void> }>();
  /** Commands that run, by tenant. */
  readonly #running = new Map<string, Set<number>>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #publisher: StatePublisher;
  #isStopping = false;

  constructor(options: SessionWorkerOptions) {
    this.#options = options;
    this.#publisher = createStatePublisher(options.states);
  }

  async start(): Promise<void> {
    await this.#options.wakeUp.listen(async (at) => this.#wake(at));
    this.#every(this.#options.sweepMs ?? 5_000, () => this.#sweep());
    this.#every(LOOK_MS, () => this.#look());
    this.#every(BEAT_MS, () => this.#beat());
    this.#every(STATE_MS, () => this.#publish());
    await this.#sweep();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#options.wakeUp.close();
    await Promise.all(Array.from(this.#visits.values(), ({ ended }) => ended));
  }

  /** Runs a function again and again. A run that takes longer is not run twice at the same time. */
  #every(ms: number, work: () => Promise<void>): void {
    let isRunning = false;
    const run = async (): Promise<void> => {
      if (isRunning) return;
      isRunning = true;
      await work().catch(this.#options.onError);
      isRunning = false;
    };
    this.#timers.push(setInterval(() => void run(), ms));
  }

  /** Takes up the sessions that a wake-up missed. */
  async #sweep(): Promise<void> {
    for (const at of await this.#options.queue.needed(SWEPT)) this.#wake(at);
    await this.#options.queue.forget();
    await this.#options.states.forget();
  }

  /** Visits the open sessions for which a command waits. */
  async #look(): Promise<void> {
    for (const [tenant, opening] of this.#tenants) {
      const open = (await opening).app.open();
      if (open.length === 0) continue;
      for (const session of await this.#options.queue.waiting(tenant, open)) this.#wake({ tenant, session });
    }
  }

  /** Publishes what servers show of the open sessions. */
  async #publish(): Promise<void> {
    for (const [tenant, opening] of this.#tenants) await this.#publisher.publish(tenant, (await opening).app);
  }

  async #beat(): Promise<void> {
    const { queue, name } = this.#options;
    for (const [tenant, ids] of this.#running) if (ids.size > 0) await queue.keep(tenant, [...ids], name);
  }

  #wake(at: TenantSession): void {
    if (this.#isStopping) return;
    const key = `${at.tenant}/${at.session}`;
    const running = this.#visits.get(key);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const visit = { again: false, ended: Promise.resolve() };
    this.#visits.set(key, visit);
    visit.ended = this.#visit(at)
      .catch(this.#options.onError)
      .finally(() => {
        this.#visits.delete(key);
        if (visit.again) this.#wake(at);
      });
  }

  /** Takes the lease of a session, continues its turn, and runs its commands. */
  async #visit(at: TenantSession): Promise<void> {
    const tenant = await this.#tenant(at.tenant);
    const wasOpen = tenant.app.open().includes(at.session);
    try {
      await tenant.app.hold(at.session, async () => {
        if (!wasOpen) await this.#continue(tenant, at.session);
        while (!this.#isStopping && (await this.#runNext(tenant, at, true)));
      });
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      // Another worker has the session, and looks for its commands itself.
      if (error.code === 'log/locked') return;
      // The application answers the commands of a session that cannot be opened with the reason.
      while (!this.#isStopping && (await this.#runNext(tenant, at, false)));
    }
  }

  #tenant(name: string): Promise<TenantApp> {
    const opening = this.#tenants.get(name) ?? this.#options.openTenant(name);
    this.#tenants.set(name, opening);
    opening.catch(() => this.#tenants.delete(name));
    return opening;
  }

  /** Continues a turn that a killed worker began. */
  async #continue(tenant: TenantApp, session: SessionId): Promise<void> {
    const { resumable, turn } = await factsOf(tenant, session);
    if (resumable !== true || turn?.open !== true) return;
    const { status, body: refusal } = await send(tenant, {
      method: 'POST',
      path: `/sessions/${session}/resume`,
      body: {},
    });
    if (status >= 400)
      this.#options.onError(new Error(`session ${session} was not resumed: ${JSON.stringify(refusal)}`));
  }

  /** Runs the next command of a session. Returns false if no command can be run here. */
  async #runNext(tenant: TenantApp, at: TenantSession, holds: boolean): Promise<boolean> {
    const { queue, name } = this.#options;
    const command = await queue.take(at, { worker: name, holds });
    if (command === undefined) return false;
    const running = this.#running.get(at.tenant) ?? new Set<number>();
    this.#running.set(at.tenant, running.add(command.id));
    try {
      const answer = await runCommand(tenant, at.session, command);
      if (answer === undefined) await queue.giveBack(at, command.id, name);
      else await queue.finish(at, command.id, name, answer);
      return answer !== undefined;
    } finally {
      running.delete(command.id);
    }
  }
}

/** Parts of a session that the worker uses. */
interface WorkedSession {
  readonly resumable?: boolean;
  readonly turn?: { readonly open: boolean };
}

/** Returns facts about a session. They are empty if it cannot be read. */
async function factsOf(tenant: TenantApp, session: SessionId): Promise<WorkedSession> {
  const { status, body } = await send(tenant, { method: 'GET', path: `/sessions/${session}` });
  return status === 200 && typeof body === 'object' && body !== null ? body : {};
}
