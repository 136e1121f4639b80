// A session as an author holds it: the agent's, with models by name.

import type { LiveSession as AgentSession, OtherModel } from '@tidemark/agent';
import type { AgentOptions } from './agent-options.ts';

/** How another model is reached where its name is not enough. Keys are those that the agent was made with. */
export type ModelReach = Pick<AgentOptions, 'provider' | 'baseURL' | 'window'>;

/** A session that is open. */
export interface LiveSession extends Omit<AgentSession, 'switchModel'> {
  /**
   * Goes on with another model, by its name or whole, from the next request on. It opens an epoch, with its price in the record; reasoning of
   * the model before stays behind. Another provider's key is its variable in `environment`. Where the provider stays, so
   * do its key and its address.
   *
   * @throws KitError `kit/no-key`, `kit/unknown-model`, `kit/bad-options`. @throws AgentError `agent/unknown-price` for a
   *   limit of money where no price is known.
   */
  switchModel(model: string | OtherModel, reach?: ModelReach): void;
}

/** What is done around a session of the agent. */
export interface Holding {
  /** Called once its `close` is done, in any case. */
  ended(): void;
  /** What a model's name means. */
  find(model: string, reach: ModelReach): OtherModel;
}

/** The same session, with models by name; it says when it was closed, so that nobody keeps hold of it for longer. */
export function holdSession(session: AgentSession, holding: Holding): LiveSession {
  return {
    id: session.id,
    get mode() {
      return session.mode;
    },
    get running() {
      return session.running;
    },
    prompt: (words) => session.prompt(words),
    resume: () => session.resume(),
    steer: (words) => session.steer(words),
    interrupt: () => session.interrupt(),
    setMode: (mode) => session.setMode(mode),
    setTools: (tools, options) => session.setTools(tools, options),
    setReasoning: (parameters) => session.setReasoning(parameters),
    switchModel: (model, reach = {}) =>
      session.switchModel(typeof model === 'string' ? holding.find(model, reach) : model),
    notify: (notification) => session.notify(notification),
    side: (call) => session.side(call),
    events: () => session.events(),
    async close() {
      try {
        await session.close();
      } finally {
        holding.ended();
      }
    },
  };
}
