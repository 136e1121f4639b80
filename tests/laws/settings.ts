// Settings of a session: models, reasoning, tools and roles. Commands contain indexes of these lists.

import type { RenderParameters } from '@tidemark/log';
import { newHash } from '@tidemark/agent';
import type { FrontTexts, ToolSpec } from '@tidemark/context';
import { composeFront } from '@tidemark/context';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import type { ProviderName } from './server.ts';

/** Settings of the next request. */
export interface Settings {
  readonly model: number;
  readonly reasoning: number;
  readonly tools: number;
  readonly role: number;
}

/** Settings of a new session. */
export const FIRST_SETTINGS: Settings = { model: 0, reasoning: 0, tools: 1, role: 0 };

/**
 * The first model strips thinking at a new turn. The second binds thinking to its prefix and takes system messages. The third does
 * neither. The fourth strips thinking and has a high floor.
 */
const MODELS = [
  'claude-sonnet-4-5-20250929',
  'claude-opus-5-5',
  'claude-sonnet-4-6',
  'claude-haiku-4-5-20251001',
] as const;

/** The first two cache at message ends and charge for writes, at different prices. The third caches on a grid, the fourth on a coarse one. */
const OPENAI_MODELS = ['gpt-5.6-sol', 'gpt-6.1-sol', 'gpt-5.1', 'gpt-5.5'] as const;

/** The effort `high` is missing: to the provider it equals no effort at all (facts 1.3), which no catalog row knows yet. */
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

/** Returns the catalog row of a model, with the name of the provider that serves it. */
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

/** Returns the front of the settings. With `turned`, its tools and the keys of their schemas are in another order. */
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
