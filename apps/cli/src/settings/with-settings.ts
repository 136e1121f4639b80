// Combines the command line with the settings, so that all later code uses one set of flags. A session continues with
// its own model, provider and mode, even if the settings change.

import { defined } from '@tidemark/core';
import { isProviderName, providerOf } from '@tidemark/kit';
import type { Catalog } from '@tidemark/model';
import type { Settings } from '@tidemark/settings';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import { modeIn } from '../arguments/agent-flags.ts';

/** Settings, and the conditions under which they apply. */
export interface SettingsUse {
  readonly settings: Settings;
  readonly newSession: boolean;
  /** True if the user can be asked. The setting `mode: ask` applies only at a terminal. */
  readonly person: boolean;
  readonly catalog: Catalog;
}

/** Returns the flags, with missing values taken from the settings. */
export function withSettings(flags: AgentFlags, use: SettingsUse): AgentFlags {
  const { cache = {}, compaction = {}, limits = {}, sandbox = {} } = use.settings;
  const { ttl, padding, rewriteNotice } = cache;
  return {
    ...defined({ ttl, padding, network: sandbox.network }),
    ...defined({ compaction: compaction.when, compactionBy: compaction.by, pruning: compaction.pruning }),
    ...defined({ maxCost: limits.maxCost, maxSteps: limits.maxSteps, maxTokens: limits.maxTokens }),
    ...defined({ rewriteCost: rewriteNotice?.cost, rewriteNotice: rewriteNotice?.tokens }),
    ...modelIn(flags, use),
    ...modeSet(flags, use),
    ...(use.newSession ? defined({ effort: use.settings.effort, agent: use.settings.agent }) : {}),
    ...flags,
  };
}

function modelIn(flags: AgentFlags, { settings, newSession, catalog }: SettingsUse): AgentFlags {
  const { model, provider } = settings;
  if (flags.provider !== undefined) {
    const theirs = model !== undefined && (provider ?? providerOf(model, catalog)) === flags.provider;
    return newSession && theirs ? defined({ model }) : {};
  }
  if (provider === 'simulator') return defined({ provider, model: newSession ? model : undefined });
  if (!newSession) return {};
  // If the command line names the model, it is requested from its own provider, provided that the catalog knows that
  // provider.
  const wanted = flags.model ?? model;
  const known = flags.model !== undefined && wanted !== undefined ? providerOf(wanted, catalog) : undefined;
  const named = provider !== undefined && isProviderName(provider) ? provider : undefined;
  return defined({ model: wanted, provider: known ?? named });
}

function modeSet(flags: AgentFlags, { settings: { mode }, newSession, person }: SettingsUse): AgentFlags {
  if (!newSession || modeIn(flags) !== undefined || (mode === 'ask' && !person)) return {};
  return defined({ mode });
}
