// What a session can be set to: models, reasoning, tools, roles. Each list is indexed by the numbers that commands carry.

import type { Digest, RenderParameters } from '@tidemark/log';
import { keepCapabilities, newHash } from '@tidemark/agent';
import type { FrontTexts, ToolSpec } from '@tidemark/context';
import { composeFront } from '@tidemark/context';
import type { Log } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';

/** The providers that laws are tried against: every law against the first two. */
export type ProviderName = 'simulator' | 'scripted' | 'openai';

/** What the next request is to be made with. */
export interface Settings {
  readonly model: number;
  readonly reasoning: number;
  readonly tools: number;
  readonly role: number;
}

/** As a session begins. */
export const FIRST_SETTINGS: Settings = { model: 0, reasoning: 0, tools: 1, role: 0 };

/** Strips thinking at a new turn; binds it to its prefix and takes system messages; neither; a high floor and strips. */
const MODELS = [
  'claude-sonnet-4-5-20250929',
  'claude-opus-5-5',
  'claude-sonnet-4-6',
  'claude-haiku-4-5-20251001',
] as const;

/** Entries at message ends, with paid writes; the same with another price; on a grid; on a coarse one. */
const OPENAI_MODELS = ['gpt-5.6-sol', 'gpt-6.1-sol', 'gpt-5.1', 'gpt-5.5'] as const;

/** Never the default `high`: said, it is to the provider as if it were left out (facts 1.3), which no catalog row knows yet. */
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

/** The catalog row of a model, under the name of the provider that is asked. */
export function capabilitiesOf(provider: ProviderName, model: number): Capabilities {
  const maker = provider === 'openai' ? 'openai' : 'anthropic';
  const models = maker === 'openai' ? OPENAI_MODELS : MODELS;
  const name = models[model % models.length] ?? models[0];
  const row = findModel(defaultCatalog(), name, maker);
  if (row === undefined) throw new Error(`the catalog has no ${name}`);
  return provider === 'scripted' ? { ...row, provider, aliases: [] } : row;
}

/** The render parameters that the settings ask for. */
export function parametersOf(provider: ProviderName, settings: Settings): RenderParameters {
  return (provider === 'openai' ? OPENAI_REASONING : REASONING)[settings.reasoning] ?? {};
}

/** The front that the settings ask for. `turned`: the same tools in another order, their schemas' keys too. */
export function frontOf(settings: Settings, turned: boolean): FrontTexts {
  const tools = toolsOf(settings.tools);
  const role = ROLES[settings.role] ?? '';
  return composeFront(
    { tools: turned ? tools.map(turnKeys).toReversed() : tools, ...(role === '' ? {} : { role }) },
    newHash,
  );
}

/** Keeps a catalog row where the log can name it. */
export async function keepRow(log: Log, capabilities: Capabilities): Promise<Digest> {
  return keepCapabilities(log.artifacts, capabilities);
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
