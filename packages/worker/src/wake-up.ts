// Wake-up: tells a worker that a session has work. pg-boss delivers it. A wake-up that is lost or doubled is harmless,
// because the commands are rows of their own, and each worker looks for missed sessions a few times a minute.

import type { TenantSession } from '@tidemark/store-postgres';
import { PgBoss } from 'pg-boss';

/** Wakes workers. */
export interface WakeUp {
  /** Tells any worker that a session has work. */
  wake(at: TenantSession): Promise<void>;
  /** Calls the function for each wake-up that this process gets. Its errors are not repeated. */
  listen(woken: (at: TenantSession) => Promise<void>): Promise<void>;
  /** Gets no more wake-ups. */
  close(): Promise<void>;
}

const QUEUE = 'session-work';

/** Seconds between two looks at the queue. The notification of a wake-up usually comes earlier. */
const LOOK_S = 2;

/** Wake-ups that one worker takes at once. */
const BATCH = 20;

/**
 * Connects to the queue of a database. The role must be able to create the schema `pgboss`, or the schema must exist.
 *
 * @param onError Called with errors of the queue. It goes on after them.
 */
export async function openWakeUp(url: string, onError: (error: unknown) => void): Promise<WakeUp> {
  const boss = new PgBoss({ connectionString: url, application_name: 'tidemark-queue', useListenNotify: true });
  boss.on('error', onError);
  await boss.start();
  await boss.createQueue(QUEUE, { policy: 'short', notify: true, retryLimit: 0, deleteAfterSeconds: 60 });
  return {
    async wake({ tenant, session }) {
      await boss.send(QUEUE, { tenant, session }, { singletonKey: `${tenant}/${session}` });
    },
    async listen(woken) {
      await boss.work<TenantSession>(QUEUE, { pollingIntervalSeconds: LOOK_S, batchSize: BATCH }, async (jobs) => {
        await Promise.all(jobs.map(({ data }) => woken(data)));
      });
    },
    close: () => boss.stop({ graceful: true, timeout: 5_000 }),
  };
}
