// What was typed, and behind it what is set: one and the same to all that follows. A session goes on with its own model,
// provider and mode, whatever is set meanwhile.

import { defined } from '@tidemark/core';
import { isProviderName, providerOf } from '@tidemark/kit';
import type { Catalog } from '@tidemark/model';
import type { Settings } from '@tidemark/settings';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import { modeIn } from '../arguments/agent-flags.ts';

/** Whom the settings are for. */
export interface SettingsUse {
  readonly settings: Settings;
  /** Whether the session is a new one. */
  readonly newSession: boolean;
  /** Whether somebody can be asked: a mode that asks is set for a terminal only. */
  readonly person: boolean;
  readonly catalog: Catalog;
}

/** The flags, filled where nothing was typed. */
export function withSettings(flags: AgentFlags, use: SettingsUse): AgentFlags {
  const { cache = {}, compaction = {}, limits = {}, sandbox = {} } = use.settings;
  const { ttl, padding, rewriteNotice } = cache;
  return {
    ...defined({ ttl, padding, network: sandbox.network }),
    ...defined({ compaction: compaction.when, compactionBy: compaction.by, pruning: compaction.pruning }),
    ...defined({ maxCost: limits.cost, maxSteps: limits.steps, maxTokens: limits.tokens }),
    ...defined({ rewriteCost: rewriteNotice?.cost, rewriteNotice: rewriteNotice?.tokens }),
    ...modelIn(flags, use),
    ...modeSet(flags, use),
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
  // A model that was typed is asked of its maker, where the catalog knows whose it is.
  const wanted = flags.model ?? model;
  const known = flags.model !== undefined && wanted !== undefined ? providerOf(wanted, catalog) : undefined;
  const named = provider !== undefined && isProviderName(provider) ? provider : undefined;
  return defined({ model: wanted, provider: known ?? named });
}

function modeSet(flags: AgentFlags, { settings: { mode }, newSession, person }: SettingsUse): AgentFlags {
  if (!newSession || modeIn(flags) !== undefined || (mode === 'ask' && !person)) return {};
  return defined({ mode });
}
