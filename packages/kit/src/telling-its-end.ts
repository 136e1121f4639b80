// A session that says when it was closed, so that nobody keeps hold of it for longer.

import type { LiveSession } from '@tidemark/agent';

/** The same session; `ended` is called once its `close` is done, in any case. */
export function tellingItsEnd(session: LiveSession, ended: () => void): LiveSession {
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
    switchModel: (model) => session.switchModel(model),
    notify: (notification) => session.notify(notification),
    side: (call) => session.side(call),
    events: () => session.events(),
    async close() {
      try {
        await session.close();
      } finally {
        ended();
      }
    },
  };
}
