// From what an author said to what a session is run with: nothing is left open.

import type { ContextSource, Mode, Runtime, Secrets } from '@tidemark/agent';
import { createSecrets, permissionModeSource, RETRY, secretsOf, THIS_MACHINE } from '@tidemark/agent';
import type { Log } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createMemoryStore } from '@tidemark/store-memory';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { environmentSource, instructionsSource, workspaceSource } from '@tidemark/tools-workspace';
import { resolve } from 'node:path';
import type { AgentOptions } from './agent-options.ts';
import { chooseTools } from './choose-tools.ts';
import { findCapabilities } from './find-capabilities.ts';
import { KitError } from './kit-error.ts';

/** An agent with nothing left open. */
export interface ResolvedAgent {
  readonly log: Log;
  readonly runtime: Runtime;
  /** Absolute. */
  readonly workspace: string;
  /** Of a new session. */
  readonly firstMode: Mode;
  readonly secrets: Secrets;
}

/** Most tokens of an answer where the author says nothing: room for a long file, and a bound to what one call can cost. */
const OUTPUT_LIMIT = 32_000;

/** @throws KitError `kit/no-key`, `kit/unknown-model`, `kit/bad-options`. */
export function resolveAgent(options: AgentOptions): ResolvedAgent {
  const { permissions = {} } = options;
  return {
    log: openStore(options.store),
    runtime: runtimeOf(options),
    workspace: resolve(options.workspace ?? '.'),
    firstMode: permissions.mode ?? (permissions.ask === undefined ? 'read-only' : 'ask'),
    secrets: secretsIn(options),
  };
}

function runtimeOf(options: AgentOptions): Runtime {
  const { role, permissions = {}, onRequest, rewriteNotice } = options;
  const provider = options.provider ?? anthropic(options);
  const capabilities = findCapabilities(options.model, provider.name, options.catalog);
  return {
    provider,
    capabilities,
    parameters: options.parameters ?? {},
    tools: chooseTools(options),
    sources: sourcesOf(options),
    limits: options.limits ?? {},
    retry: { ...RETRY, ...options.retry },
    outputLimit: Math.min(options.outputLimit ?? OUTPUT_LIMIT, capabilities.outputLimit),
    ttl: options.ttl ?? 'auto',
    envelope: {},
    betas: options.betas ?? [],
    unconfined: permissions.unconfined ?? false,
    surroundings: options.surroundings ?? THIS_MACHINE,
    ...(role !== undefined && { role }),
    ...(permissions.ask !== undefined && { ask: permissions.ask }),
    ...(onRequest !== undefined && { onRequest }),
    ...(rewriteNotice !== undefined && { rewriteNotice }),
  };
}

function openStore(store: AgentOptions['store'] = 'memory'): Log {
  if (store === 'memory') return createMemoryStore();
  return 'read' in store ? store : openNdjsonStore(store);
}

function anthropic(options: AgentOptions): Provider {
  const key = keyOf(options);
  if (key === undefined) {
    const message =
      'there is no key for Anthropic: give `apiKey`, or `environment: process.env` with ANTHROPIC_API_KEY set, or another `provider`';
    throw new KitError('kit/no-key', message);
  }
  return createAnthropicProvider({
    apiKey: key,
    ...(options.baseURL !== undefined && { baseURL: options.baseURL }),
  });
}

function keyOf({ apiKey, environment = {} }: AgentOptions): string | undefined {
  const key = apiKey ?? environment['ANTHROPIC_API_KEY'];
  return key === undefined || key.trim() === '' ? undefined : key;
}

/** The key is a secret wherever it came from. */
function secretsIn(options: AgentOptions): Secrets {
  const key = keyOf(options);
  return createSecrets({
    values: secretsOf({ ...options.environment, ...(key !== undefined && { ANTHROPIC_API_KEY: key }) }),
  });
}

/** Without a workspace there is nothing to say of one. */
function sourcesOf({ workspace, instructions, permissions, sources = [] }: AgentOptions): readonly ContextSource[] {
  const mode = permissionModeSource({ unconfined: permissions?.unconfined ?? false });
  if (workspace === undefined) return [mode, ...sources];
  const found = instructionsSource({ instructions: instructions ?? 'discover' });
  return [workspaceSource(), environmentSource(), mode, found, ...sources];
}
