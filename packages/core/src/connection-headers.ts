// Headers of an HTTP request that belong to its connection.

const OF_CONNECTION: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Returns true if the connection itself sets the header with this name, or cannot send it. A user cannot set such a
 * header.
 */
export function isConnectionHeader(name: string): boolean {
  return OF_CONNECTION.has(name.toLowerCase());
}
