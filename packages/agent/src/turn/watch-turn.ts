// What a turn changed around the session that a person should know of when it ends: the port, and its use in one turn.

import type { EffectClass } from '@tidemark/log';
import { messageOf } from '../tools/message-of.ts';
import type { Notice, SessionEvent } from './session-event.ts';

/** Compares the surroundings at the end of a turn with those before its first call that could change something. */
export interface TurnWatch {
  /** Looks for the first time. What it returns looks again, and gives what a person should be told. */
  begin(): Promise<() => Promise<readonly Notice[]>>;
}

/** The watch of one turn. It throws nothing: a look that fails is a notice. */
export interface WatchedTurn {
  /** Before calls of these effects run. */
  begin(effects: readonly EffectClass[]): Promise<void>;
  /** When the turn has ended. */
  end(): Promise<void>;
}

/** Watches one turn. Nothing is looked at in a turn that only reads. */
export function watchTurn(watch: TurnWatch | undefined, tell: (event: SessionEvent) => void): WatchedTurn {
  let look: Promise<() => Promise<readonly Notice[]>> | undefined;
  const raise = (notice: Notice): void => tell({ type: 'notice.raised', notice });
  return {
    async begin(effects) {
      if (watch === undefined || !effects.some(canChange)) return;
      look ??= watch.begin();
      // Its failure is told once, when the turn ends.
      await look.catch(() => undefined);
    },
    async end() {
      if (look === undefined) return;
      try {
        for (const notice of await (await look)()) raise(notice);
      } catch (cause) {
        raise({
          code: 'turn/watch-failed',
          message: `what this turn changed is not known: ${messageOf(cause)}`,
          next: '',
        });
      }
    },
  };
}

function canChange(effect: EffectClass): boolean {
  return effect === 'write' || effect === 'execute' || effect === 'network';
}
