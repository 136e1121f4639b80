// Checks the options of `createAgent`. One error reports all wrong values, unknown names and old names together.

import type { RetryPolicy, RewriteNotice, Tool } from '@tidemark/agent';
import { nearestName } from '@tidemark/agent';
import { canonicalText, issueText } from '@tidemark/core';
import type { McpHttpServer, StdioServer } from '@tidemark/tools-mcp';
import { isServerName } from '@tidemark/tools-mcp';
import type { OwnAgentsOptions, SkillsOptions } from '@tidemark/tools-skills';
import { z } from 'zod';
import type {
  AgentEnvironment,
  AgentLimits,
  AgentOptions,
  ConnectionOptions,
  ContextOptions,
  HostOptions,
  Mcp,
  ModelOptions,
  Permissions,
  SandboxSetting,
  OtherProvider,
  SubagentOptions,
  WebSetup,
  WorkspaceSetup,
} from './agent-options.ts';
import type { CommandsSetup } from './commands-setup.ts';
import type { CacheOptions, CompactionOptions } from './cache-options.ts';
import { HOOK_FIELDS, hookOption } from './choose-hooks.ts';
import { requestHeaders } from './header-schema.ts';
import { KitError } from './kit-error.ts';
import { ADVICE, ELSEWHERE, EXAMPLES, RENAMED } from './option-names.ts';
import type { ProviderName } from './providers.ts';
import { isProviderName, PROVIDERS } from './providers.ts';

/** Type of a table with exactly one zod schema for each option. A missing or additional schema is a type error. */
type OptionSchemas<Options> = { readonly [name in keyof Required<Options>]: z.ZodType };

const anyObject = z.custom<object>((value) => typeof value === 'object' && value !== null, 'expected an object');
const anyFunction = z.custom<() => unknown>((value) => typeof value === 'function', 'expected a function');
const words = z.string().min(1, 'expected a string that is not empty');
/**
 * Returns the schema of an object that the author made. The object must have functions with these names, its own or
 * inherited.
 */
const implementing = (...methods: readonly string[]): z.ZodType =>
  z.looseObject(Object.fromEntries(methods.map((method) => [method, anyFunction])));
/** Returns true for an object of strings. `process.env` is not a plain object, so a record schema would refuse it. */
const isEnvironment = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((one) => one === undefined || typeof one === 'string');
/**
 * Returns the schema of an option with several forms. Its error names all forms. The error of a union would name only
 * one form.
 */
const anyOf = (forms: readonly z.ZodType[], expected: string): z.ZodType =>
  z.custom((value) => forms.some((form) => form.safeParse(value).success), expected);
/**
 * Schema of the path of a folder. An address such as `postgres://host` is not a path. If there is only one letter
 * before the colon, it is a drive of Windows.
 */
const folderPath = words.refine((text) => !/^[a-z][a-z0-9+.-]+:/i.test(text));
const store = anyOf(
  [folderPath, z.object({ home: folderPath }), implementing('create', 'open', 'read', 'tail', 'sessions')],
  'expected "memory", the path of a folder, { home: folder } or a store',
);
const aTool = z.custom<Tool>(
  (value) => implementing('read').safeParse(value).success,
  'expected a tool: use defineTool',
);
const isJson = (value: unknown): boolean => {
  try {
    canonicalText(value);
    return true;
  } catch {
    return false;
  }
};
const amount = z.number().positive();
const delay = z.number().min(0);
const count = z.int().min(0);
const dollars = anyOf(
  [z.string().regex(/^\d+(\.\d+)?$/), z.number().min(0)],
  'expected US dollars as a number that is not negative, or as decimal text, such as "0.50"',
);
const providerName = z.custom<ProviderName>((value) => typeof value === 'string' && isProviderName(value));

const effectClass = z.enum(['none', 'read', 'write', 'execute', 'network']);
const serverTerms = {
  effect: z.union([effectClass, z.record(z.string(), effectClass)]).optional(),
  timeoutMs: amount.optional(),
  unavailable: words.optional(),
};
const stdioServer = z.strictObject({
  command: words,
  args: z.array(z.string()).readonly().optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: words.optional(),
  ...serverTerms,
} satisfies OptionSchemas<StdioServer>);
const httpServer = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).optional(),
  ...serverTerms,
} satisfies OptionSchemas<McpHttpServer>);
const mcp = z.strictObject({
  servers: z.record(
    z
      .string()
      .refine(isServerName, 'expected a server name of 1 to 32 letters, digits, "-", or single "_" between them'),
    anyObject,
  ),
  waitMs: delay.optional(),
  toolBudget: count.optional(),
  approvals: implementing('get', 'take').optional(),
  authorizations: implementing('load', 'save', 'remove').optional(),
} satisfies OptionSchemas<Mcp>);

const limits = {
  maxSteps: amount.int().optional(),
  maxDurationMs: amount.optional(),
  maxCost: dollars.optional(),
  maxTokens: amount.int().optional(),
} satisfies OptionSchemas<AgentLimits>;
const subagents = z.strictObject({
  model: words.optional(),
  ...limits,
  parallel: amount.int().optional(),
  total: amount.int().optional(),
  depth: amount.int().optional(),
} satisfies OptionSchemas<SubagentOptions>);

const variableName = z.string().regex(/^[A-Za-z_]\w{0,199}$/, 'expected the name of an environment variable');
const variableNames = z
  .string()
  .regex(
    /^(?:[A-Za-z_]\w{0,199}|[A-Za-z]\w{0,199}_\*)$/,
    'expected the name of an environment variable, or the beginning of names such as "CARGO_*"',
  );

const workspace = z.strictObject({
  folder: words,
  tools: z
    .union([z.boolean(), z.array(z.string()).readonly()], 'expected true, false or a list of tool names')
    .optional(),
  trusted: z.boolean().optional(),
  agentsFile: z.enum(['discover', 'attach']).optional(),
  ownInstructions: z.array(words).readonly().optional(),
  memory: z.boolean().optional(),
  sandbox: z
    .strictObject({ network: z.enum(['off', 'on']).optional() } satisfies OptionSchemas<SandboxSetting>)
    .optional(),
  commands: z
    .strictObject({
      variables: z.array(variableNames).readonly().optional(),
      secretVariables: z.array(variableName).readonly().optional(),
    } satisfies OptionSchemas<CommandsSetup>)
    .optional(),
  forbidden: z.array(words).readonly().optional(),
  backgroundProcesses: z.int().min(0).max(64).optional(),
  protectedPaths: z.array(words).readonly().optional(),
} satisfies OptionSchemas<WorkspaceSetup>);

const web = z.strictObject({
  fetch: z.boolean().optional(),
  allowPrivate: z.array(words).readonly().optional(),
  search: z.union([z.literal('provider'), implementing('search')]).optional(),
} satisfies OptionSchemas<WebSetup>);

const connection = z.strictObject({
  headers: requestHeaders.optional(),
  bearerToken: z.union([words, anyFunction], 'expected a token, or a function that returns one').optional(),
  fetch: anyFunction.optional(),
  transport: z.enum(['http', 'auto']).optional(),
  retry: z
    .strictObject({
      attempts: amount.int().optional(),
      initialDelayMs: delay.optional(),
      maxDelayMs: delay.optional(),
      maxRetryAfterMs: delay.optional(),
    } satisfies OptionSchemas<RetryPolicy>)
    .optional(),
  onRequest: anyFunction.optional(),
} satisfies OptionSchemas<ConnectionOptions>);

const modelOptions = z.strictObject({
  parameters: z.record(z.string(), z.unknown()).refine(isJson, 'expected values that JSON can represent').optional(),
  contextWindow: amount.int().optional(),
  betas: z.array(words).readonly().optional(),
  catalog: z.unknown().optional(),
} satisfies OptionSchemas<ModelOptions>);

const permissions = z.strictObject({
  mode: z.enum(['read-only', 'ask', 'accept-edits', 'auto']).optional(),
  ask: anyFunction.optional(),
  // Only the array is checked here. `readRules` checks each rule and reports its errors.
  rules: z.array(z.unknown()).readonly().optional(),
  grants: implementing('kept', 'keep').optional(),
  allowUnsandboxed: z.boolean().optional(),
} satisfies OptionSchemas<Permissions>);

const cache = z.strictObject({
  ttl: z.enum(['auto', '5m', '1h']).optional(),
  padding: z.enum(['auto', 'always', 'never']).optional(),
  warm: z
    .union(
      [z.enum(['off', 'auto']), z.strictObject({ share: z.number().min(0) })],
      'expected "off", "auto" or { share }',
    )
    .optional(),
  neighbours: count.optional(),
  rewriteNotice: z
    .strictObject({ tokens: amount.int().optional(), cost: dollars.optional() } satisfies OptionSchemas<RewriteNotice>)
    .optional(),
} satisfies OptionSchemas<CacheOptions>);

/**
 * Returns the error message if `compaction` is a string. The option used to be a policy name and is now an object, so
 * the message contains `compaction.when`.
 */
const oldCompaction = ({ input }: { readonly input?: unknown }): string | undefined =>
  typeof input === 'string' ? `expected an object: use compaction.when` : undefined;

const compaction = z.strictObject(
  {
    when: z.enum(['manual', 'preflight', 'auto']).optional(),
    by: z.enum(['auto', 'deterministic', 'model']).optional(),
    budgets: z
      .strictObject({
        reserve: amount.int().optional(),
        hard: amount.int().optional(),
        soft: amount.int().optional(),
        tail: amount.int().optional(),
      } satisfies OptionSchemas<NonNullable<CompactionOptions['budgets']>>)
      .optional(),
    pruning: z.enum(['auto', 'never']).optional(),
  } satisfies OptionSchemas<CompactionOptions>,
  { error: oldCompaction },
);

const context = z.strictObject({
  sources: z
    .array(implementing('revision', 'render', 'affectedBy'))
    .readonly()
    .optional(),
  runtimeInstructions: z.enum(['full', 'minimal', 'brief']).optional(),
  images: z.union([z.literal('as-given'), implementing('fit')], 'expected "as-given" or an ImageFitter').optional(),
} satisfies OptionSchemas<ContextOptions>);

const host = z.strictObject({
  environment: z.custom<AgentEnvironment>(isEnvironment, 'expected variables with strings as values').optional(),
  client: words.optional(),
  clock: implementing('now', 'elapsed', 'wait', 'random', 'newName').optional(),
} satisfies OptionSchemas<HostOptions>);

const roots = z.array(z.strictObject({ folder: words, source: words })).readonly();
const ownAgents = z.strictObject({ roots } satisfies OptionSchemas<OwnAgentsOptions>);
const otherProvider = z.strictObject({
  apiKey: words.optional(),
  baseURL: z.url({ protocol: /^https?$/ }).optional(),
} satisfies OptionSchemas<OtherProvider>);
const skills = z.strictObject({
  roots,
  budget: z.strictObject({ skills: count.optional(), warning: count.optional(), most: count.optional() }).optional(),
} satisfies OptionSchemas<SkillsOptions>);

/** Former values of `instructions`. This option used to be the setting for AGENTS.md. It is now the system text. */
const OLD_INSTRUCTIONS: readonly string[] = ['discover', 'attach'];

const options = z.strictObject({
  model: words,
  provider: z
    .union([providerName, implementing('send')], `expected one of ${Object.keys(PROVIDERS).join(', ')}, or a provider`)
    .optional(),
  apiKey: words.optional(),
  baseURL: z.url({ protocol: /^https?$/ }).optional(),
  connection: connection.optional(),
  modelOptions: modelOptions.optional(),
  maxOutputTokens: amount.int().optional(),
  instructions: z
    .string()
    .refine((text) => !OLD_INSTRUCTIONS.includes(text), 'is now the system text: use workspace.agentsFile')
    .optional(),
  tools: z.array(aTool, 'expected an array of tools: use [defineTool({ name, … })]').readonly().optional(),
  workspace: z.union([words, anyObject], 'expected a folder, or an object with `folder`').optional(),
  mcp: anyObject.optional(),
  skills: skills.optional(),
  hooks: z.array(hookOption, 'expected an array of hooks: use [{ on, run }]').readonly().optional(),
  subagents: z.union([z.literal(false), anyObject], 'expected false or limits, such as { parallel: 4 }').optional(),
  web: web.optional(),
  ownAgents: ownAgents.optional(),
  otherProviders: z.partialRecord(providerName, otherProvider).optional(),
  permissions: permissions.optional(),
  limits: z.strictObject(limits).optional(),
  store: store.optional(),
  cache: cache.optional(),
  compaction: compaction.optional(),
  context: context.optional(),
  host: host.optional(),
} satisfies OptionSchemas<AgentOptions>);

/** Option names of each object, by the path of the object in the options. `*` stands for the name of a server. */
const NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['', Object.keys(options.shape)],
  ['mcp', Object.keys(mcp.shape)],
  ['mcp.servers.*', [...Object.keys(stdioServer.shape), ...Object.keys(httpServer.shape)]],
  ['workspace', Object.keys(workspace.shape)],
  ['workspace.sandbox', Object.keys(workspace.shape.sandbox.unwrap().shape)],
  ['connection', Object.keys(connection.shape)],
  ['connection.retry', Object.keys(connection.shape.retry.unwrap().shape)],
  ['modelOptions', Object.keys(modelOptions.shape)],
  ['permissions', Object.keys(permissions.shape)],
  ['limits', Object.keys(limits)],
  ['cache', Object.keys(cache.shape)],
  ['cache.rewriteNotice', Object.keys(cache.shape.rewriteNotice.unwrap().shape)],
  ['compaction', Object.keys(compaction.shape)],
  ['compaction.budgets', Object.keys(compaction.shape.budgets.unwrap().shape)],
  ['context', Object.keys(context.shape)],
  ['host', Object.keys(host.shape)],
  ['skills', Object.keys(skills.shape)],
  ['skills.budget', Object.keys(skills.shape.budget.unwrap().shape)],
  ['subagents', Object.keys(subagents.shape)],
  ['hooks.*', HOOK_FIELDS],
  ['web', Object.keys(web.shape)],
  ['ownAgents', Object.keys(ownAgents.shape)],
]);

/**
 * Checks the options that an author passed.
 *
 * @throws KitError `kit/bad-options`, with every option that is wrong. The message never contains a value, because a
 *   value can be a key.
 */
export function checkOptions(given: AgentOptions): void {
  const problems =
    typeof given === 'object' && given !== null ? problemsOfOptions(given) : ['expected an object: { model, … }'];
  if (problems.length === 0) return;
  const message = `createAgent cannot use these options: ${problems.join('; ')}`;
  throw new KitError('kit/bad-options', message, { problems });
}

function problemsOfOptions(given: AgentOptions): readonly string[] {
  return [
    ...problemsIn(options, given),
    ...problemsOfMcp(given.mcp),
    ...problemsOfObject(subagents, given.subagents, 'subagents'),
    ...problemsOfObject(workspace, given.workspace, 'workspace'),
  ];
}

/**
 * Checks each server by the schema of its kind: HTTP or stdio. With a union of both schemas, zod would not report which
 * field of the server is wrong.
 */
function problemsOfMcp(given: AgentOptions['mcp']): readonly string[] {
  if (typeof given !== 'object' || given === null || 'offer' in given) return [];
  const problems = problemsIn(mcp, given, ['mcp']);
  if (problems.length > 0) return problems;
  return Object.entries(given.servers).flatMap(([name, server]) =>
    'url' in server && 'command' in server
      ? [
          `mcp.servers.${name}: has both \`command\` and \`url\`: keep \`command\` to start the server, or \`url\` to reach it`,
        ]
      : problemsIn('url' in server ? httpServer : stdioServer, server, ['mcp', 'servers', name]),
  );
}

/**
 * Checks an option that accepts an object or a short form, such as a string. This function checks only an object. The
 * table `options` checks the short form.
 */
function problemsOfObject(schema: z.ZodType, given: unknown, name: string): readonly string[] {
  return typeof given === 'object' ? problemsIn(schema, given, [name]) : [];
}

function problemsIn(schema: z.ZodType, given: unknown, at: readonly string[] = []): readonly string[] {
  return schema.safeParse(given).error?.issues.flatMap((issue) => problemsOf(issue, at, given)) ?? [];
}

function problemsOf(issue: z.core.$ZodIssue, at: readonly string[], given: unknown): readonly string[] {
  const place = [...at, ...issue.path].join('.');
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => `${place}: ${message}`);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownOption(place, key));
  const example = issue.code === 'invalid_type' && issue.expected === 'object' ? EXAMPLES.get(place) : undefined;
  const text = issueText(issue, given, ADVICE.get(place));
  return [`${place || 'options'}: ${text}${example === undefined ? '' : `: use ${example}`}`];
}

function unknownOption(place: string, key: string): string {
  const name = place === '' ? key : `${place}.${key}`;
  const renamed = RENAMED.get(name);
  if (renamed !== undefined) return `the option ${name} was renamed: use ${renamed}`;
  const elsewhere = ELSEWHERE.get(name);
  if (elsewhere !== undefined) return `there is no option ${name}: use ${elsewhere}`;
  const names = NAMES.get(place.replace(/^(mcp\.servers|hooks)\..*$/, '$1.*')) ?? [];
  const nearest = nearestName(key, names);
  if (nearest !== undefined) return `there is no option ${name}, did you mean ${nearest}?`;
  const level = place === '' ? 'the options' : `the options of ${place}`;
  return `there is no option ${name}: ${level} are ${[...new Set(names)].join(', ')}`;
}
