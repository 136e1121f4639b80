// The gate of a fan-out: calls that share what no cache holds yet. The first goes out, the others wait until its answer has
// begun, for only then can they read what it wrote (provider facts 1.1, availability); in parallel each would write it.

import type { State } from '@tidemark/context';
import { KEEP_WARM, LIFE, isAlive } from '@tidemark/context';
import type { MarkerRecord, RequestPrepared } from '@tidemark/log';
import type { CacheWriteGate, Passage } from '../ports/runtime.ts';

/** A gate with nobody in it, over a clock in milliseconds. */
export function createCacheWriteGate(elapsed: () => number): CacheWriteGate {
  const writing = new Map<string, Promise<void>>();
  const written = new Map<string, number>();
  const toWrite = (entries: readonly string[]): readonly string[] => {
    for (const [entry, end] of written) if (end <= elapsed()) written.delete(entry);
    return entries.filter((entry) => !written.has(entry));
  };
  return {
    async enter(entries, signal) {
      for (;;) {
        const own = toWrite(entries);
        const before = own.map((entry) => writing.get(entry)).find((one) => one !== undefined);
        if (before === undefined || signal.aborted) return claim(own, { writing, written, elapsed });
        await eitherOf(before, signal);
      }
    },
  };
}

async function eitherOf(before: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const abort = (): void => resolve();
  signal.addEventListener('abort', abort, { once: true });
  await Promise.race([before, aborted]);
  signal.removeEventListener('abort', abort);
}

interface Inside {
  readonly writing: Map<string, Promise<void>>;
  /** Until when each can be read at least. */
  readonly written: Map<string, number>;
  readonly elapsed: () => number;
}

function claim(entries: readonly string[], { writing, written, elapsed }: Inside): Passage {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = elapsed();
  for (const entry of entries) writing.set(entry, promise);
  const leave = (): void => {
    for (const entry of entries) if (writing.get(entry) === promise) writing.delete(entry);
    resolve();
  };
  return {
    begun() {
      for (const entry of entries) written.set(entry, begun + LIFE['5m']);
      leave();
    },
    over: leave,
  };
}

/** The entries that a prepared request will write, as far as the log knows. What is sent only to be kept writes for nobody here. */
export function entriesToWrite(
  { cache }: State,
  { purpose, markers, sequence, counts }: RequestPrepared,
  now: number,
): readonly string[] {
  if (purpose === KEEP_WARM) return [];
  const alive = new Set<string>(cache.entries.filter((entry) => isAlive(entry, now)).map(({ prefix }) => prefix));
  const { tools, system, messages } = sequence.parameters;
  const parameters = ({ block }: MarkerRecord): string =>
    block < counts.tools ? tools : block < counts.tools + counts.system ? system : messages;
  return markers.filter(({ prefix }) => !alive.has(prefix)).map((marker) => `${marker.prefix} ${parameters(marker)}`);
}
