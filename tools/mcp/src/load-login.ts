// Loads the SDK only when a user logs in.

import type { LoginRequest } from './log-in.ts';

/**
 * Logs the user in at an MCP server and stores the tokens. Returns `not-needed` if the server accepts a connection
 * without a login.
 *
 * @throws McpError `mcp/login-failed` if the server offers no login, if the user refuses, or if the signal aborts.
 */
export async function logIn(request: LoginRequest): Promise<'logged-in' | 'not-needed'> {
  const login = await import('./log-in.ts');
  return login.logIn(request);
}
