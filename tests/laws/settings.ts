// Settings of a session: models, reasoning, tools and roles. Commands contain indexes of these lists.

import type { RenderParameters } from '@tidemark/log';
import { newHash } from '@tidemark/agent';
import type { FrontTexts, ToolSpec } from '@tidemark/context';
import { composeFront } from '@tidemark/context';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import type { ProviderName } from './server.ts';

/** Settings of the next request, as indexes of the lists in this file. */
export interface Settings {
  readonly model: number;
  readonly reasoning: number;
  readonly tools: number;
  readonly role: number;
}

/** Settings of a new session. */
export const FIRST_SETTINGS: Settings = { model: 0, reasoning: 0, tools: 1, role: 0 };

/**
 * The first model strips thinking when a new turn begins. The second binds thinking to its prefix and accepts system
 * messages in the history. The third does neither. The fourth strips thinking and has a high cache floor.
 */
const MODELS = [
  'claude-sonnet-4-5-20250929',
  'claude-opus-5-5',
  'claude-sonnet-4-6',
  'claude-haiku-4-5-20251001',
] as const;

/**
 * The first two models cache at the ends of messages and charge for cache writes, at different prices. The third caches
 * at regular distances in tokens (a grid), and the fourth at larger distances than the third.
 */
const OPENAI_MODELS = ['gpt-5.6-sol', 'gpt-6.1-sol', 'gpt-5.1', 'gpt-5.5'] as const;

/**
 * The effort `high` is missing because the provider treats it like no effort setting (facts 1.3), and no catalog row
 * contains this rule yet.
 */
const REASONING: readonly RenderParameters[] = [
  {},
  { thinking: { type: 'enabled', budget_tokens: 2_048 } },
  { thinking: { type: 'enabled', budget_tokens: 8_192 } },
  { effort: 'low' },
  { effort: 'medium' },
];

const OPENAI_REASONING: readonly RenderParameters[] = [
  {},
  { 'reasoning.effort': 'low' },
  { 'reasoning.effort': 'high' },
  { 'text.verbosity': 'low' },
];

const ROLES = [
  '',
  'You review code.',
  `You mend builds. ${'Never guess what a command prints. '.repeat(150)}`,
] as const;

/** Returns the catalog row of a model. For the scripted provider, the row gets the name of this provider. */
export function capabilitiesOf(provider: ProviderName, model: number): Capabilities {
  const maker = provider === 'openai' ? 'openai' : 'anthropic';
  const models = maker === 'openai' ? OPENAI_MODELS : MODELS;
  const name = models[model % models.length] ?? models[0];
  const row = findModel(defaultCatalog(), name, maker);
  if (row === undefined) throw new Error(`the catalog has no ${name}`);
  return provider === 'scripted' ? { ...row, provider, aliases: [] } : row;
}

/** Returns the render parameters of the settings. */
export function parametersOf(provider: ProviderName, settings: Settings): RenderParameters {
  return (provider === 'openai' ? OPENAI_REASONING : REASONING)[settings.reasoning] ?? {};
}

/**
 * Returns the front of the settings. With `turned`, its tools and the keys of their schemas are passed in another
 * order, which must not change a request.
 */
export function frontOf(settings: Settings, turned: boolean): FrontTexts {
  const name = `${settings.tools} ${settings.role} ${turned}`;
  const known = fronts.get(name) ?? newFront(settings, turned);
  fronts.set(name, known);
  return known;
}

const fronts = new Map<string, FrontTexts>();

function newFront(settings: Settings, turned: boolean): FrontTexts {
  const tools = toolsOf(settings.tools);
  const role = ROLES[settings.role] ?? '';
  return composeFront(
    { tools: turned ? tools.map(turnKeys).toReversed() : tools, ...(role === '' ? {} : { role }) },
    newHash,
  );
}

function toolsOf(set: number): readonly ToolSpec[] {
  const names =
    [[], ['read', 'grep', 'edit'], ['read', 'grep', 'edit', 'mcp__files__list'], ['read', 'run', 'write']][set] ?? [];
  return names.map((name) => toolNamed(name, set === 3 ? 120 : 20));
}

function toolNamed(name: string, wordiness: number): ToolSpec {
  return {
    name,
    description: `The tool ${name}. ${'It says what it did and what it did not do. '.repeat(wordiness)}`,
    schema: { type: 'object', properties: { path: { type: 'string' }, '10': { type: 'number' } }, required: ['path'] },
  };
}

function turnKeys(tool: ToolSpec): ToolSpec {
  const schema = {
    required: ['path'],
    properties: { '10': { type: 'number' }, path: { type: 'string' } },
    type: 'object',
  };
  return { schema, description: tool.description, name: tool.name };
}
