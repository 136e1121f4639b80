// Attention of the user: an alert when a turn ends or a question waits, if the user did nothing for some time.

/** Alerts the user. */
export interface Attention {
  /** Called at each action of the user. */
  acted(): void;
  /** Alerts the user if the last action was long ago. */
  call(text: string): void;
}

/** Time after the last action of the user from which on an alert is given, in milliseconds. */
const AWAY_MS = 10_000;

/** Creates the attention of one terminal. `alert` rings the bell or shows a notification with the text. */
export function createAttention(now: () => number, alert: ((text: string) => void) | undefined): Attention {
  let last = now();
  return {
    acted() {
      last = now();
    },
    call(text) {
      if (now() - last >= AWAY_MS) alert?.(text);
    },
  };
}
