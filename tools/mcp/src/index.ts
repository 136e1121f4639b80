// Public exports of `tools/mcp`.

export type { Approvals, Definition } from './approvals.ts';
export { createApprovals } from './approvals.ts';
export { openApprovals } from './approvals-file.ts';
export type { McpAuthorizations } from './authorizations.ts';
export { createAuthorizations } from './authorizations.ts';
export type { InspectedServer, InspectionOptions } from './inspect-server.ts';
export type { ServerDefinitions } from './deferral.ts';
export { deferredServers, TOOL_BUDGET } from './deferral.ts';
export { inspectServer, readServerBytes, readServerPrompt, readServerResource } from './inspect-server.ts';
export { logIn } from './load-login.ts';
export type { LoginRequest } from './log-in.ts';
export type { McpHttpServer, McpErrorCode, McpOptions, McpServer, ServerTerms, StdioServer } from './mcp-server.ts';
export { McpError } from './mcp-server.ts';
export type { McpServerState, McpTools } from './mcp-tools.ts';
export { createMcpTools } from './mcp-tools.ts';
export { isServerName } from './tool-name.ts';
