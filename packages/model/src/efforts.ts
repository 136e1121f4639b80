// Values of the reasoning effort that a model accepts. They follow from the family and the version in its name, as the
// providers document them. They are not part of a catalog row, because a log records the row of each epoch, and another
// row would open an epoch in existing sessions.

import type { Capabilities } from './capabilities.ts';
import { normalModelName, readClaudeName } from './find-model.ts';

/** Values of Anthropic's API, from the lowest to the highest. */
const CLAUDE = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Values that OpenRouter accepts for every model. */
const OPENROUTER = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/**
 * Returns the values of the reasoning effort that a model accepts, from the lowest to the highest. The list is empty if
 * the model has no effort, and `undefined` if its values are unknown, as for a model of a compatible server.
 */
export function effortsOf({
  provider,
  model,
  renderParameters,
}: Pick<Capabilities, 'provider' | 'model' | 'renderParameters'>): readonly string[] | undefined {
  const names = Object.keys(renderParameters);
  if (!names.includes('effort') && !names.includes('reasoning.effort')) return isListed(provider) ? [] : undefined;
  if (provider === 'openrouter') return OPENROUTER;
  if (provider === 'anthropic') return claudeEfforts(model);
  return provider === 'openai' ? openaiEfforts(normalModelName(model)) : undefined;
}

/**
 * Returns the reason why a model cannot run with an effort, with the next step. Returns `undefined` if it can, or if its
 * values are unknown.
 */
export function effortProblem(
  row: Pick<Capabilities, 'provider' | 'model' | 'renderParameters'>,
  effort: string,
): string | undefined {
  const efforts = effortsOf(row);
  if (efforts === undefined || efforts.includes(effort)) return undefined;
  const next = efforts.length === 0 ? 'remove it' : `use one of ${efforts.join(', ')}`;
  return `${row.model} does not have the effort "${effort}": ${next}`;
}

function isListed(provider: string): boolean {
  return ['anthropic', 'openai', 'openrouter'].includes(provider);
}

/**
 * Returns the values of a Claude model: the effort begins with Opus 4.5, `max` with Opus 4.6 and Sonnet 4.6, and `xhigh`
 * with Opus 4.7 (platform.claude.com docs, build-with-claude/effort).
 */
function claudeEfforts(model: string): readonly string[] {
  const { family, version = Number.MAX_SAFE_INTEGER } = readClaudeName(normalModelName(model)) ?? {};
  if (version >= 4.7) return CLAUDE;
  if (version >= 4.6) return ['low', 'medium', 'high', 'max'];
  return family === 'opus' && version >= 4.5 ? ['low', 'medium', 'high'] : [];
}

/** Returns the values of an OpenAI model (developers.openai.com docs, guides/reasoning, and the errors of the API). */
function openaiEfforts(model: string): readonly string[] {
  const [, major, minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?/.exec(model) ?? [];
  if (major === undefined) return ['low', 'medium', 'high'];
  const version = Number(major) + Number(minor) / 10;
  if (version >= 5.6) return ['none', 'low', 'medium', 'high', 'xhigh', 'max'];
  if (version >= 5.2) return ['none', 'low', 'medium', 'high', 'xhigh'];
  return version >= 5.1 ? ['none', 'low', 'medium', 'high'] : ['minimal', 'low', 'medium', 'high'];
}
