// Keeps WebSocket connections between calls, one for each lane. A lane is a series of calls in which each call
// continues from the call before it. A connection is closed after some idle time, or by `close`. A kept connection does
// not keep the process alive.

import type { ProviderConnection } from '../socket/provider-connection.ts';

/** The connections that are kept between calls. */
export interface Lanes {
  /**
   * Takes the open connection of a lane for one call. Until the connection is given back, no other call can take it.
   * Returns `undefined` if the lane has no open connection with the same `betas`.
   */
  take(lane: string | undefined, betas: string): ProviderConnection | undefined;
  /**
   * Keeps a connection for the next call of its lane. Closes the connection instead if it has no lane, if it is no
   * longer open, or if `close` was called before.
   */
  give(lane: string | undefined, connection: ProviderConnection): void;
  /** Closes all kept connections. Connections that are passed to `give` after this are closed too. */
  close(): void;
}

interface KeptConnection {
  readonly connection: ProviderConnection;
  readonly timer: NodeJS.Timeout;
}

/** Creates an empty store of connections. A connection that is idle for `keepMs` milliseconds is closed. */
export function createLanes(keepMs: number): Lanes {
  const connections = new Map<string, KeptConnection>();
  let closed = false;
  const remove = (lane: string): ProviderConnection | undefined => {
    const found = connections.get(lane);
    clearTimeout(found?.timer);
    connections.delete(lane);
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
      connections.set(lane, { connection, timer });
    },
    close() {
      closed = true;
      for (const lane of connections.keys()) remove(lane)?.close();
    },
  };
}
