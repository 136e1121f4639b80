// Leases: keeps the sessions of this process. A lease ends by the clock of the database, so the clocks of the machines
// can differ. A process that was stopped loses its sessions, and the fence refuses its writes when it goes on.

import type { SessionId } from '@tidemark/log';

import type { TenantSessions } from './read-records.ts';

/** Terms of all leases of a process. */
export interface LeaseTerms {
  /** Name of the process. */
  readonly name: string;
  /** Duration of a lease, in milliseconds. */
  readonly duration: number;
}

/** Leases that this process holds. */
export interface Leases extends LeaseTerms {
  /** Renews the lease of an owner until `drop`. */
  keep(session: SessionId, owner: string): void;
  drop(owner: string): void;
}

/** Number of beats in one lease. One or two lost beats are no loss. */
const BEATS = 3;

/** Creates the leases of one process. One call renews all of them. */
export function createLeases({ database, tenant }: TenantSessions, { name, duration }: LeaseTerms): Leases {
  const held = new Map<string, SessionId>();
  let timer: NodeJS.Timeout | undefined;
  let isRenewing = false;
  const beat = async (): Promise<void> => {
    if (isRenewing) return;
    isRenewing = true;
    try {
      await database.call('renew_leases', [tenant, [...held.values()], [...held.keys()], duration]);
    } catch {
      // The next beat tries again. If the lease ends, the next call of the writer reports it.
    } finally {
      isRenewing = false;
    }
  };
  return {
    name,
    duration,
    keep(session, owner) {
      held.set(owner, session);
      timer ??= setInterval(() => void beat(), duration / BEATS).unref();
    },
    drop(owner) {
      held.delete(owner);
      if (held.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
