// Tests, on real files, which values take effect, which source they come from, and which values are refused.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { readBrought } from './workspace-contents.ts';
import { SETTINGS_ERRORS, SettingsError } from './settings-error.ts';
import type { SettingsRequest, SettledSettings } from './settle.ts';
import { readSettings } from './settle.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-settings-'));
  mkdirSync(join(root, 'work'));
});

afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
}

async function settle(given: Partial<SettingsRequest> = {}): Promise<SettledSettings> {
  const brought = await readBrought(join(root, 'work'));
  const providers = ['anthropic', 'openai'];
  return readSettings({ providers, folder: join(root, 'own'), environment: {}, brought, trusted: false, ...given });
}

async function refusal(given: Partial<SettingsRequest> = {}): Promise<SettingsError> {
  const error = await settle(given).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SettingsError) return error;
  throw new Error('it was not refused', { cause: error });
}

const own = (settings: string): string => write('own/tidemark.config.json', settings);
const workspace = (settings: string): string => write('work/.tidemark/config.json', settings);

describe('the effective value of a setting', () => {
  test('comes from the nearest source, leaf by leaf, and is returned with its place', async () => {
    const [user, theirs] = [
      own('{\n  "cache": { "ttl": "5m" },\n  "limits": { "maxCost": "1", "maxSteps": 5 },\n  "model": "a"\n}'),
      workspace('{"limits": {"maxSteps": 9},\n "model": "b"}'),
    ];
    const { settings, effective } = await settle({ trusted: true, environment: { TIDEMARK_MODEL: ' c ' } });
    expect(settings).toEqual({ cache: { ttl: '5m' }, limits: { maxCost: '1', maxSteps: 9 }, model: 'c' });
    expect(effective.filter(({ source }) => source !== 'default')).toEqual([
      { name: 'model', value: 'c', source: 'environment', place: 'TIDEMARK_MODEL' },
      { name: 'cache.ttl', value: '5m', source: 'user', place: `${user}:2` },
      { name: 'limits.maxCost', value: '1', source: 'user', place: `${user}:3` },
      { name: 'limits.maxSteps', value: 9, source: 'workspace', place: expect.stringMatching(/config\.json:1$/) },
    ]);
    expect(theirs).toContain('.tidemark');
  });

  test("resolves the folder of a workspace server against the workspace, and keeps the folder of a user's server as given", async () => {
    const servers = { a: { command: 'a' }, b: { command: 'b', cwd: 'tools' }, c: { url: 'https://example.org/' } };
    workspace(JSON.stringify({ mcp: { servers } }));
    const trusted = await settle({ trusted: true });
    const folder = (await readBrought(join(root, 'work'))).workspace;
    expect(trusted.settings.mcp?.servers).toEqual({
      ...servers,
      a: { command: 'a', cwd: folder },
      b: { command: 'b', cwd: join(folder, 'tools') },
    });
    own(JSON.stringify({ mcp: { servers } }));
    expect((await settle()).settings.mcp?.servers).toEqual(servers);
  });

  test('joins the servers of the user and of a trusted workspace, and of two with one name uses that of the workspace', async () => {
    const server = (url: string): object => ({ url: `https://${url}.example/` });
    own(JSON.stringify({ mcp: { servers: { mine: server('mine'), both: server('user') } } }));
    workspace(JSON.stringify({ mcp: { servers: { theirs: server('theirs'), both: server('folder') } } }));
    const { settings, effective } = await settle({ trusted: true });
    expect(settings.mcp?.servers).toEqual({ mine: server('mine'), both: server('folder'), theirs: server('theirs') });
    const { source, place } = effective.find(({ name }) => name === 'mcp.servers') ?? {};
    expect(source).toBe('workspace');
    expect(place).toMatch(/config\.json:1, .*:1$/);
    expect((await settle()).settings.mcp?.servers).toEqual({ mine: server('mine'), both: server('user') });
  });

  test("leaves out the user's rules that allow a server which a trusted workspace replaces by another one", async () => {
    const shop = (url: string): object => ({ mcp: { servers: { shop: { url: `https://${url}.example/` } } } });
    const rules = [
      { decision: 'allow', tool: 'shop__*' },
      { decision: 'allow', tool: 'shop__buy' },
      { decision: 'deny', tool: 'shop__*' },
      { decision: 'allow', tool: 'shop2__buy' },
      { decision: 'allow', tool: 'read' },
    ];
    own(JSON.stringify({ ...shop('user'), permissions: { rules } }));
    const rulesWith = async (folder: object): Promise<unknown> => {
      workspace(JSON.stringify(folder));
      return (await settle({ trusted: true })).settings.permissions?.rules;
    };
    expect(await rulesWith(shop('folder'))).toEqual(rules.slice(2));
    expect(await rulesWith(shop('user'))).toEqual(rules);
    expect(await rulesWith({})).toEqual(rules);
    workspace(JSON.stringify(shop('folder')));
    expect((await settle()).settings.permissions?.rules).toEqual(rules);
  });

  test('is the default, described as text, if no source sets it', async () => {
    const { settings, effective } = await settle();
    expect(settings).toEqual({});
    expect(effective).toContainEqual({ name: 'compaction.when', source: 'default', place: 'preflight' });
  });

  test('is a number if the environment variable contains a number', async () => {
    const environment = {
      TIDEMARK_LIMITS_MAX_STEPS: '7',
      TIDEMARK_LIMITS_MAX_COST: '2',
      TIDEMARK_BASE_URL_OPENAI: 'http://a/v1',
    };
    expect((await settle({ environment })).settings).toEqual({
      limits: { maxSteps: 7, maxCost: '2' },
      baseUrl: { openai: 'http://a/v1' },
    });
  });

  test("comes from the user's own TypeScript file, which runs, or from a named file instead", async () => {
    write('own/tidemark.config.ts', "const ttl: string = '1h';\nexport default { cache: { ttl } };\n");
    expect((await settle()).settings).toEqual({ cache: { ttl: '1h' } });
    const file = write('named.json', '{"mode": "auto"}');
    expect((await settle({ file })).settings).toEqual({ mode: 'auto' });
  });
});

describe('a workspace that is not trusted', () => {
  test('sets only the display, and its other settings are returned as ignored', async () => {
    workspace('{"display": {"colour": "never", "columns": 60}, "mode": "auto", "baseUrl": {"openai": "http://evil"}}');
    const { settings, ignored } = await settle();
    expect(settings).toEqual({ display: { colour: 'never', columns: 60 } });
    expect(ignored.map(({ name }) => name)).toEqual(['baseUrl.openai', 'mode']);
  });

  test('sets nothing if its configuration is invalid and reports the problem, while a trusted workspace is refused', async () => {
    workspace('{"display": {"colour": "never"}, "moed": "auto"}');
    expect(await settle()).toMatchObject({ settings: {}, problem: { code: 'settings/not-usable' } });
    expect(await refusal({ trusted: true })).toMatchObject({ code: 'settings/not-usable' });
  });

  test.each([
    ['nested too deep', '['.repeat(100_000), 'it is nested too deep'],
    ['as deep, and well formed', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 'it is nested too deep'],
    ['of unknown keys', `{${Array.from({ length: 10_000 }, (_, at) => `"k${at}":1`).join()}}`, '; and 9990 more'],
    ['after a byte order mark', '\uFEFF{"mode":"auto"}', 'is not JSON'],
  ])('throws no error for a configuration %s and reports the problem in a short message', async (_what, text, said) => {
    workspace(text);
    const { settings, problem } = await settle();
    expect(settings).toEqual({});
    expect(problem?.message.length).toBeLessThan(2_000);
    expect(problem?.message).toContain(said);
  });
});

describe('a name that every object inherits', () => {
  const NAMES = ['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'] as const;

  test.each(NAMES)('works as the name of a server with all its settings: %s', async (name) => {
    own(JSON.stringify({ mcp: { servers: { [name]: { command: 'x', effect: { [name]: 'read' } } } } }));
    const { settings } = await settle();
    expect(Object.keys(settings.mcp?.servers ?? {})).toEqual([name]);
    expect(JSON.stringify(settings.mcp)).toContain(`"effect":{"${name}":"read"}`);
  });

  test.each(NAMES)('works as the name of a provider: %s', async (name) => {
    own(JSON.stringify({ provider: name, baseUrl: Object.fromEntries([[name, 'https://example.com']]) }));
    const { settings } = await settle({ providers: ['anthropic', name] });
    expect(settings.provider).toBe(name);
    expect(Object.entries(settings.baseUrl ?? {})).toEqual([[name, 'https://example.com']]);
  });

  test.each([...NAMES, '__proto__'])('is refused as a setting: %s', async (name) => {
    own(`{"limits": {"${name}": 1}}`);
    expect((await refusal()).message).toContain(name);
  });
});

describe('permission rules', () => {
  const allow = { decision: 'allow', tool: 'bash', commands: ['npm test'] };
  const deny = { decision: 'deny', tool: 'bash', commands: ['git push'] };
  const ask = { decision: 'ask', tool: 'write', paths: ['*.lock'] };

  test('of all sources apply together, so a workspace cannot remove a denial of the user', async () => {
    const user = own(JSON.stringify({ permissions: { rules: [deny] } }));
    workspace(JSON.stringify({ permissions: { rules: [ask] } }));
    const { settings, effective } = await settle({ trusted: true });
    expect(settings.permissions?.rules).toEqual([ask, deny]);
    expect(effective.find(({ name }) => name === 'permissions.rules')).toMatchObject({
      source: 'workspace',
      place: expect.stringMatching(new RegExp(`config\\.json:1, ${user}:1$`)),
    });
  });

  test('of a workspace take effect only after it is trusted, and then only ask and deny', async () => {
    workspace(JSON.stringify({ permissions: { rules: [allow, deny] } }));
    const untrusted = await settle();
    expect([untrusted.settings, untrusted.ignored.map(({ name }) => name)]).toEqual([{}, ['permissions.rules']]);
    const trusted = await settle({ trusted: true });
    expect(trusted.settings.permissions?.rules).toEqual([deny]);
    expect(trusted.ignored.map(({ name }) => name)).toEqual(['permissions.rules']);
    workspace(JSON.stringify({ permissions: { rules: [allow] } }));
    expect((await settle({ trusted: true })).settings).toEqual({});
    own(JSON.stringify({ permissions: { rules: [allow] } }));
    expect((await settle({ trusted: true })).settings.permissions?.rules).toEqual([allow]);
  });

  test.each([
    ['{"permissions": {"rules": {}}}', 'permissions.rules'],
    ['{"permissions": {"rules": [{"decision": "allow"}]}}', 'permissions.rules.0'],
    ['{"permissions": {"rules": [{"decision": "deny", "tool": "bash", "commands": []}]}}', 'permissions.rules.0'],
    ['{"permissions": {"rule": []}}', 'did you mean permissions.rules?'],
  ])('are checked for their form: %s', async (text, said) => {
    own(text);
    expect((await refusal()).message).toContain(said);
  });
});

test('skills, plan and memory can be set, but a workspace cannot set a root folder of skills', async () => {
  own('{"skillRoots": ["~/skills"]}');
  workspace('{"skillRoots": ["/evil"], "skillBudget": {"skills": 9}, "plan": true}');
  const environment = { TIDEMARK_MEMORY: 'false' };
  const { settings, ignored } = await settle({ trusted: true, environment });
  expect(settings).toEqual({ skillRoots: ['~/skills'], skillBudget: { skills: 9 }, plan: true, memory: false });
  expect(ignored.map(({ name }) => name)).toEqual(['skillRoots']);
  own('{"skillRoots": ["skills"]}');
  expect((await refusal()).message).toContain('expected an absolute path, or a path that begins with ~/');
});

test('only the user can turn on the network of sandboxed commands, and a trusted workspace can turn it off', async () => {
  workspace('{"sandbox": {"network": "on"}}');
  const widened = await settle({ trusted: true });
  expect([widened.settings, widened.ignored.map(({ name }) => name)]).toEqual([{}, ['sandbox.network']]);
  own('{"sandbox": {"network": "on"}}');
  workspace('{"sandbox": {"network": "off"}}');
  expect((await settle({ trusted: true })).settings).toEqual({ sandbox: { network: 'off' } });
  expect((await settle({ trusted: false })).settings).toEqual({ sandbox: { network: 'on' } });
});

test('the variables of all sources are passed to commands, and a workspace cannot name a secret', async () => {
  own('{"commands": {"variables": ["JAVA_HOME", "CARGO_*"], "secretVariables": ["NPM_TOKEN"]}}');
  workspace('{"commands": {"variables": ["HTTP_PROXY", "GITHUB_TOKEN"], "secretVariables": ["DEPLOY"]}}');
  const { settings, ignored } = await settle({ trusted: true });
  expect(settings.commands).toEqual({
    variables: ['HTTP_PROXY', 'JAVA_HOME', 'CARGO_*'],
    secretVariables: ['NPM_TOKEN'],
  });
  expect(ignored.map(({ name }) => name)).toEqual(['commands.variables', 'commands.secretVariables']);
  expect((await settle({ trusted: false })).settings.commands).toEqual({
    variables: ['JAVA_HOME', 'CARGO_*'],
    secretVariables: ['NPM_TOKEN'],
  });
});

test.each(['*', 'C*', 'CARGO*', 'A B', '=', '1A'])('the name of a variable cannot be %s', async (name) => {
  own(JSON.stringify({ commands: { variables: [name] } }));
  expect((await refusal()).message).toContain('expected the name of an environment variable');
});

describe('invalid settings', () => {
  test.each([
    ['{\n "modle": "a"\n}', ':2: there is no setting "modle", did you mean model?'],
    [
      '{"limits": {\n "maxSteps": 1,\n "maxCosts": "1"}}',
      ':3: there is no setting "limits.maxCosts", did you mean limits.maxCost?',
    ],
    ['{"display": {"color": "never"}}', ':1: there is no setting "display.color", did you mean display.colour?'],
    ['{"limits": {"cost": "1"}}', ':1: the setting limits.cost was renamed: use limits.maxCost'],
    ['{"limits": {"steps": 1}}', ':1: the setting limits.steps was renamed: use limits.maxSteps'],
    ['{"limits": {"tokens": 1}}', ':1: the setting limits.tokens was renamed: use limits.maxTokens'],
    ['{"subagents": {"ms": 1}}', ':1: the setting subagents.ms was renamed: use subagents.maxDurationMs'],
    ['{"baseUrl": {"opnai": "http://a"}}', 'did you mean baseUrl.openai?'],
    ['{"subagents": {"paralel": 2}}', ':1: there is no setting "subagents.paralel"'],
    ['{"subagents": true}', ':1: subagents: expected false, or { model, parallel, total'],
    ['{"cache": {"ttl": "2h"}}', ':1: cache.ttl: expected "auto", "5m" or "1h"'],
    ['{"limits": {"maxCost": 1}}', ':1: limits.maxCost: expected US dollars as text, such as "0.50"'],
    ['{"limits": {"maxSteps": 0}}', ':1: limits.maxSteps: expected a number of at least 1'],
    ['{"limits": {"maxSteps": 1.5}}', ':1: limits.maxSteps: expected a whole number'],
    ['{"display": {"columns": 5000}}', ':1: display.columns: expected a number of at most 1000'],
    ['{"plan": "yes"}', ':1: plan: expected true or false'],
    ['{"skillRoots": "~/skills"}', ':1: skillRoots: expected an array'],
    ['{"model": ["a"]}', ':1: model: expected a text'],
    ['{"apiKey": "key-in-the-wrong-place"}', 'set keys in the environment or with `tidemark keys`'],
    ['{"baseUrl": {"openai": "http://name:word@host"}}', 'expected an address without a user name and password'],
    ['{"baseUrl": {"openai": "file:///etc/passwd"}}', 'expected an address such as https://example.org'],
    ['{"__proto__": {"mode": "auto"}}', 'there is no setting "__proto__"'],
    ['{"mode\\u001b[2J": 1}', 'there is no setting "mode?[2J"'],
    ['{"mode": "auto",}', ':1 is not JSON: property name expected'],
    ['{"limits": {\n "steps": 1,\n "steps": 2}}', ':3: "steps" occurs twice in one object'],
    ['{"permissions": {"rules": []},\n "permissions": {}}', ':2: "permissions" occurs twice in one object'],
    ['{\n// no\n}', ':2 is not JSON: invalid comment token'],
    ['', ' is not JSON'],
    ['[]', 'settings: expected an object'],
  ])('are reported with their line and never with their value: %s', async (text, said) => {
    own(text);
    const { message, next } = await refusal();
    expect(message).toContain(said);
    expect(message).not.toMatch(/wrong-place|word@|\u001b/);
    expect(next).not.toBe('');
  });

  test('include a variable whose name is close to the name of a known one', async () => {
    const { message } = await refusal({ environment: { TIDEMARK_MODLE: 'a', TIDEMARK_HOME: '/h' } });
    expect(message).toBe('there is no variable TIDEMARK_MODLE, did you mean TIDEMARK_MODEL?');
  });

  test.each(['notaurl', 'ftp://example.org', 'http://joe:staple@example.org'])(
    'include an invalid URL in a variable: %s',
    async (address) => {
      const { code, message } = await refusal({ environment: { TIDEMARK_BASE_URL_ANTHROPIC: address } });
      expect(code).toBe('settings/not-usable');
      expect(message).toContain('TIDEMARK_BASE_URL_ANTHROPIC: ');
      expect(message).not.toContain('staple');
    },
  );

  test('include an invalid variable, a second configuration of the user, and a file without a default export', async () => {
    expect((await refusal({ environment: { TIDEMARK_LIMITS_MAX_STEPS: '-1' } })).message).toContain(
      'TIDEMARK_LIMITS_MAX_STEPS',
    );
    expect((await refusal({ environment: { TIDEMARK_SUBAGENTS: '{"steps": 3, "paralel": 2}' } })).message).toBe(
      'TIDEMARK_SUBAGENTS: the setting subagents.steps was renamed: use subagents.maxSteps; there is no setting "subagents.paralel"',
    );
    expect((await refusal({ environment: { TIDEMARK_LIMITS_COST: '1' } })).message).toContain(
      'was renamed: use TIDEMARK_LIMITS_MAX_COST',
    );
    own('{}');
    const typed = write('own/tidemark.config.ts', 'export const mode = 1;\n');
    expect((await refusal()).message).toContain('remove one');
    expect((await refusal({ file: typed })).message).toContain('has no default export');
    expect((await refusal({ file: join(root, 'none.json') })).code).toBe('settings/unreadable');
  });

  test('have exactly these error codes', () => {
    expect(Object.keys(SETTINGS_ERRORS)).toEqual([
      'settings/unreadable',
      'settings/not-usable',
      'settings/too-much',
      'settings/trust-inside',
      'settings/trust-damaged',
      'settings/grants-inside',
      'settings/grants-damaged',
      'settings/not-editable',
      'settings/no-lock',
      'settings/no-keyring',
    ]);
  });
});
