// A session as an author holds it: the agent's, with models by name.

import type { AgentSession, ForkOptions, OtherModel } from '@tidemark/agent';
import type { AgentOptions } from './agent-options.ts';

/** How another model is reached where its name is not enough. Keys are those that the agent was made with. */
export type ModelReach = Pick<AgentOptions, 'provider' | 'baseURL' | 'window'>;

/** How another model is taken, and reached. */
export interface SwitchOptions extends ModelReach {
  /** Switches this session, so that none is left with the model before. Default: a fork is made. */
  readonly inPlace?: boolean;
}

/** How a session is forked: see `ForkOptions`. */
export interface LiveForkOptions extends ForkOptions {
  /** Another model than this session's, by its name or whole, as `switchModel` has it. */
  readonly model?: string | OtherModel;
}

/** A session that is open. */
export interface LiveSession extends Omit<AgentSession, 'fork' | 'switchModel'> {
  /**
   * A session that begins as this one was up to a record, by default the last closed one: it refers to this log up to there
   * and inherits the epoch in force, so that its first request reads what this one has cached. It is run with what this one
   * is run with now. Nothing is undone: this session stays as it is, and so do the files.
   *
   * @throws AgentError `agent/not-closed` with the nearest closed positions, `agent/no-such-record`.
   */
  fork(options?: LiveForkOptions): Promise<LiveSession>;
  /**
   * Another model, by its name or whole, from the next request on, and the session to go on with: a fork where this one has
   * a history, which so keeps its model and its cache; this one where nothing was asked yet, or with `inPlace`. Either way
   * the next request opens an epoch, with its price in the record and said first from `rewriteNotice` on; reasoning of the
   * model before stays behind. Another provider's key is its variable in `environment`. Where the provider stays, so do its
   * key and its address.
   *
   * @throws KitError `kit/no-key`, `kit/unknown-model`, `kit/bad-options`. @throws AgentError `agent/unknown-price` for a
   *   limit of money where no price is known; `agent/not-closed` for a fork of a session whose end is open.
   */
  switchModel(model: string | OtherModel, options?: SwitchOptions): Promise<LiveSession>;
}

/** What is done around a session of the agent. */
export interface Holding {
  /** Called once its `close` is done, in any case. */
  ended(): void;
  /** What a model's name means. */
  find(model: string, reach: ModelReach): OtherModel;
  /** Takes hold of another session that came from this one. */
  hold(session: AgentSession): LiveSession;
}

/** The same session, with models by name; it says when it was closed, so that nobody keeps hold of it for longer. */
export function holdSession(session: AgentSession, holding: Holding): LiveSession {
  const modelOf = (model: string | OtherModel, reach: ModelReach): OtherModel =>
    typeof model === 'string' ? holding.find(model, reach) : model;
  const held: LiveSession = {
    id: session.id,
    get mode() {
      return session.mode;
    },
    get running() {
      return session.running;
    },
    prompt: (words, how) => session.prompt(words, how),
    resume: () => session.resume(),
    steer: (words) => session.steer(words),
    interrupt: () => session.interrupt(),
    setMode: (mode) => session.setMode(mode),
    setTools: (tools, options) => session.setTools(tools, options),
    setReasoning: (parameters) => session.setReasoning(parameters),
    async fork({ model, ...options } = {}) {
      const other = model === undefined ? {} : { model: modelOf(model, {}) };
      return holding.hold(await session.fork({ ...options, ...other }));
    },
    async switchModel(model, { inPlace = false, ...reach } = {}) {
      const next = await session.switchModel(modelOf(model, reach), { inPlace });
      return next.id === session.id ? held : holding.hold(next);
    },
    notify: (notification) => session.notify(notification),
    refresh: (source) => session.refresh(source),
    side: (call) => session.side(call),
    compact: (options) => session.compact(options),
    events: () => session.events(),
    async close() {
      try {
        await session.close();
      } finally {
        holding.ended();
      }
    },
  };
  return held;
}
