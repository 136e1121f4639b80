// Port of the store for logins at MCP servers, and its twin in memory. A login is bound to the address of its server.

/** Store of logins by the address of the server. A login is a JSON text with tokens, so it must be kept secret. */
export interface McpAuthorizations {
  /** Returns the stored login, or `undefined` if there is none. */
  load(url: string): Promise<string | undefined>;
  save(url: string, login: string): Promise<void>;
  /** Removes the login. Returns true if there was one. */
  remove(url: string): Promise<boolean>;
}

/** Creates a store that is kept in memory until the process ends. */
export function createAuthorizations(): McpAuthorizations {
  const kept = new Map<string, string>();
  return {
    load: async (url) => kept.get(url),
    save: async (url, login) => void kept.set(url, login),
    remove: async (url) => kept.delete(url),
  };
}
