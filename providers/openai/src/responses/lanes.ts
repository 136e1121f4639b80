// Connections between calls: one for each lane, closed when nobody asks for it for a while, or when all are. None keeps the
// process alive.

import type { ProviderConnection } from '../socket/provider-connection.ts';

/** The connections that are kept between calls. */
export interface Lanes {
  /** The open connection of a lane, for one call: nobody else gets it until it is given back. */
  take(lane: string | undefined, betas: string): ProviderConnection | undefined;
  /** Keeps a connection for the lane's next call. One of no lane, or that is closed, is let go; once all are closed, any. */
  give(lane: string | undefined, connection: ProviderConnection): void;
  /** Closes all that is kept, and keeps nothing from then on. */
  close(): void;
}

interface KeptConnection {
  readonly connection: ProviderConnection;
  readonly timer: NodeJS.Timeout;
}

/** No connections. */
export function createLanes(keepMs: number): Lanes {
  const kept = new Map<string, KeptConnection>();
  let closed = false;
  const remove = (lane: string): ProviderConnection | undefined => {
    const found = kept.get(lane);
    clearTimeout(found?.timer);
    kept.delete(lane);
    return found?.connection;
  };
  return {
    take(lane, betas) {
      const connection = lane === undefined ? undefined : remove(lane);
      if (connection === undefined) return undefined;
      if (connection.isOpen() && connection.betas === betas) return connection;
      connection.close();
      return undefined;
    },
    give(lane, connection) {
      if (closed || lane === undefined || !connection.isOpen()) return connection.close();
      remove(lane)?.close();
      const timer = setTimeout(() => remove(lane)?.close(), keepMs);
      timer.unref();
      connection.hold(false);
      kept.set(lane, { connection, timer });
    },
    close() {
      closed = true;
      for (const lane of kept.keys()) remove(lane)?.close();
    },
  };
}
