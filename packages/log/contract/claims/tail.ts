// Contract of `tail`: following a log as it grows.

import { describe, expect } from 'vitest';
import type { LogFactory } from '../log-under-test.ts';
import { appended, fails, gather, prompt, prompts, textOrKind, session, sessionWith } from '../samples.ts';
import { claim } from '../with-store.ts';

export function claimTails(factory: LogFactory): void {
  describe('`tail`', () => {
    claim(factory, 'yields the existing records, then new records, each once', async ({ log, reopen }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 3);
      const stop = new AbortController();
      const seen: string[] = [];
      for await (const record of reopen().tail(id, 2, stop.signal)) {
        seen.push(textOrKind(record));
        if (seen.length === 2) await appended(writer, prompts(2, 3));
        if (seen.length === 4) await appended(writer, prompts(1, 5));
        if (seen.length === 5) stop.abort();
      }
      expect(seen).toEqual(['1', '2', '3', '4', '5']);
      await writer.close();
    });

    claim(factory, 'ends while it is waiting if the signal aborts', async ({ log }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 0);
      const stop = new AbortController();
      const tail = log.tail(id, 0, stop.signal)[Symbol.asyncIterator]();
      expect((await tail.next()).done).toBe(false);
      const waiting = tail.next();
      stop.abort();
      expect((await waiting).done).toBe(true);
      await writer.close();
    });

    claim(factory, 'yields nothing after the end of the log if the signal is already aborted', async ({ log }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 1);
      const seen = await gather(log.tail(id, 2, AbortSignal.abort()));
      expect(seen).toEqual([]);
      await writer.close();
    });

    claim(factory, 'waits for a position that is not written yet', async ({ log, reopen }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 0);
      const stop = new AbortController();
      const tail = reopen().tail(id, 3, stop.signal)[Symbol.asyncIterator]();
      const first = tail.next();
      await appended(writer, [prompt('one'), prompt('two'), prompt('three')]);
      expect((await first).value?.position).toBe(3);
      stop.abort();
      await tail.return?.();
      await writer.close();
    });

    claim(factory, 'throws `log/missing` for a session that does not exist', async ({ log }) => {
      await fails(gather(log.tail(session('nobody'), 0, AbortSignal.abort())), 'log/missing');
    });
  });
}
