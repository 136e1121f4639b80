// Contract of the single writer: a session has one writer at a time. After a storage fault, a writer accepts no more
// events. See can1357/oh-my-pi#12624 (two windows on one session, one in memory only) and bug-ops/zeph#5487 (doubled
// numbers).

import { describe, expect } from 'vitest';
import { LOG_ERRORS } from '../../src/errors.ts';
import type { LogFactory } from '../log-under-test.ts';
import { appended, created, fails, gather, prompt, prompts, session, sessionWith, texts } from '../samples.ts';
import { claim, claimWhere } from '../with-store.ts';

const NO_FAULTS = 'this store has no faults to inject';

export function claimOneWriter(factory: LogFactory): void {
  describe('a writer', () => {
    claim(factory, 'prevents a second writer until it is closed', async ({ log, reopen }) => {
      const id = session('a');
      const first = await sessionWith(log, id, 1);
      for (const store of [log, reopen()]) {
        const error = await fails(store.open(id), 'log/locked');
        expect(LOG_ERRORS[error.code]).toBe('retryable');
      }
      await appended(first, prompts(1, 1));
      await first.close();
      const second = await reopen().open(id);
      expect(second.fence).toBe(first.fence + 1);
      await appended(second, prompts(1, 2));
      await second.close();
      expect((await gather(log.read(id))).map(({ fence }) => fence - first.fence)).toEqual([0, 0, 0, 1]);
    });

    claim(factory, 'is shown by `isOpen` until it is closed', async ({ log, reopen }) => {
      const id = session('a');
      expect(await log.isOpen(id)).toBe(false);
      const writer = await sessionWith(log, id, 1);
      expect(await Promise.all([log, reopen(), log].map((store) => store.isOpen(id)))).toEqual([true, true, true]);
      await appended(writer, prompts(1, 1));
      await fails(reopen().open(id), 'log/locked');
      await writer.close();
      expect(await Promise.all([log, reopen(), log].map((store) => store.isOpen(id)))).toEqual([false, false, false]);
      await (await reopen().open(id)).close();
    });

    claim(
      factory,
      'is returned by exactly one of several calls of `open` at the same time',
      async ({ log, reopen }) => {
        const id = session('a');
        await (await sessionWith(log, id, 0)).close();
        const tries = await Promise.allSettled([log, reopen(), reopen(), log].map((store) => store.open(id)));
        const won = tries.filter((one) => one.status === 'fulfilled');
        expect(won.length).toBe(1);
        for (const one of won) await one.value.close();
      },
    );

    claim(factory, 'cannot be created for a session that exists or is being created', async ({ log, reopen }) => {
      const id = session('a');
      const writer = await log.create(id);
      await fails(reopen().create(id), 'log/locked');
      await appended(writer, [created(id)]);
      await fails(reopen().create(id), 'log/exists');
      await writer.close();
      await fails(log.create(id), 'log/exists');
    });

    claim(factory, 'can be closed several times, and refuses every call after that', async ({ log }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 1);
      await Promise.all([writer.close(), writer.close()]);
      await writer.close();
      await fails(writer.append([prompt('late')], 2), 'log/closed');
      await fails(writer.sync(), 'log/closed');
      expect(await texts(log, id)).toEqual(['session.created', '0']);
    });

    claim(
      factory,
      'keeps records that were appended before `close`, without a call of `sync`',
      async ({ log, reopen }) => {
        const id = session('a');
        const writer = await sessionWith(log, id, 0);
        const pending = writer.append(prompts(2), 1);
        const closing = writer.close();
        expect((await pending).ok).toBe(true);
        await closing;
        expect(await texts(reopen(), id)).toEqual(['session.created', '0', '1']);
      },
    );

    claimWhere(
      factory,
      'undoes a failed write, and refuses all later calls',
      ({ faults }) => faults,
      NO_FAULTS,
      async ({ log, reopen }, faults) => {
        const id = session('a');
        const writer = await sessionWith(log, id, 1);
        await writer.sync();
        faults.failWrites();
        await fails(writer.append(prompts(3, 1), 2), 'log/write-failed');
        expect(await texts(reopen(), id)).toEqual(['session.created', '0']);
        faults.heal();
        expect((await fails(writer.append(prompts(1, 1), 2), 'log/latched')).data).toMatchObject({
          first: 'log/write-failed',
        });
        await fails(writer.sync(), 'log/latched');
        await fails(reopen().open(id), 'log/locked');
        await writer.close();
        const next = await reopen().open(id);
        await appended(next, prompts(1, 5));
        await next.close();
        expect(await texts(log, id)).toEqual(['session.created', '0', '5']);
      },
    );

    claimWhere(
      factory,
      'keeps its records after a failed flush, and refuses all later calls',
      ({ faults }) => faults,
      NO_FAULTS,
      async ({ log, reopen }, faults) => {
        const id = session('a');
        const writer = await sessionWith(log, id, 1);
        faults.failFlushes();
        await fails(writer.sync(), 'log/flush-failed');
        expect(await texts(reopen(), id)).toEqual(['session.created', '0']);
        faults.heal();
        await fails(writer.append(prompts(1, 1), 2), 'log/latched');
        await writer.close();
        const next = await reopen().open(id);
        expect(next.length).toBe(2);
        await next.sync();
        await next.close();
      },
    );

    claimWhere(
      factory,
      'releases its lock even if the last flush fails',
      ({ faults }) => faults,
      NO_FAULTS,
      async ({ log, reopen }, faults) => {
        const id = session('a');
        const writer = await sessionWith(log, id, 1);
        faults.failFlushes();
        await fails(writer.close(), 'log/flush-failed');
        faults.heal();
        await (await reopen().open(id)).close();
      },
    );
  });
}
