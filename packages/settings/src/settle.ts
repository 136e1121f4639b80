// Determines the effective value of each setting and its source. The sources have this order of precedence: the
// environment, the workspace, the user's own file, the default. Flags of the command line have precedence over all of
// these, and the caller applies them. Settings of an untrusted workspace are ignored and listed.

import { join } from 'node:path';

import { defined } from '@tidemark/core';
import type { Rule } from '@tidemark/agent';

import type { BroughtConfiguration } from './workspace-contents.ts';
import { CONFIGURATION_PATH } from './workspace-contents.ts';
import type { Leaf } from './check-settings.ts';
import type { Environment } from './environment-settings.ts';
import { environmentSettings } from './environment-settings.ts';
import { parseConfiguration, readConfiguration, readOwnConfiguration } from './read-configuration.ts';
import type { HookSetting } from './hook-settings.ts';
import type { ServerSetting } from './server-settings.ts';
import { replacedServers, withoutAllowRules } from './rules-of-servers.ts';
import { serversIn } from './server-settings.ts';
import type { Settings, SettingsSchema } from './settings.ts';
import { broughtValue, byDefault, isDisplay, isJoined, leavesOf, settingsSchema } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/** Source of a value. A later source in this list takes precedence over an earlier one. */
export type SettingSource = 'default' | 'user' | 'workspace' | 'environment';

/** A setting and its effective value. */
export interface EffectiveSetting {
  /** Name of the setting, such as `limits.maxCost`. */
  readonly name: string;
  /** Effective value. Absent if the setting has its default. */
  readonly value?: unknown;
  readonly source: SettingSource;
  /** File with line, or environment variable. For a default, the description of the default. */
  readonly place: string;
}

/** MCP servers of one source of settings. */
export interface ServerSource {
  readonly source: SettingSource;
  readonly place: string;
  readonly servers: Readonly<Record<string, ServerSetting>>;
}

/** Effective settings in a workspace. */
export interface SettledSettings {
  readonly settings: Settings;
  /** All settings, in the order of the schema. */
  readonly effective: readonly EffectiveSetting[];
  /** Sources that name MCP servers, the nearest first. Of two servers with one name, the nearer one is used. */
  readonly serverSources: readonly ServerSource[];
  /**
   * Settings of the workspace that are ignored, because the workspace is not trusted or because no workspace may set
   * them.
   */
  readonly ignored: readonly Leaf[];
  /** Error in the configuration of an untrusted workspace. For a trusted workspace the error is thrown. */
  readonly problem?: SettingsError;
}

/** Sources of the settings. */
export interface SettingsRequest {
  /** Names of the available providers. */
  readonly providers: readonly string[];
  /** The user's own folder of configuration. */
  readonly folder: string;
  /** Configuration file that is read instead of the one in `folder`. */
  readonly file?: string;
  readonly environment: Environment;
  readonly brought?: BroughtConfiguration;
  readonly trusted: boolean;
}

/**
 * Reads the effective settings from all sources.
 *
 * @throws SettingsError for an invalid setting of the user or of a trusted workspace.
 */
export async function readSettings(request: SettingsRequest): Promise<SettledSettings> {
  const schema = settingsSchema(request.providers);
  const { folder, file, environment } = request;
  const own = await (file === undefined ? readOwnConfiguration(folder, schema) : readConfiguration(file, schema));
  const { used, ignored, problem } = ofWorkspace(request, schema);
  const given = environmentSettings(environment, leavesOf(schema));
  const replaced = replacedServers({ environment: given, folder: used, own });
  const layers: readonly SettingLayer[] = [
    ['environment', withoutAllowRules(given, replaced)],
    ['workspace', used],
    ['user', withoutAllowRules(own, replaced)],
  ];
  const effective = [...leavesOf(schema).keys()].map((name) => inForce(name, layers));
  const serverSources = layers.flatMap(([source, leaves]) =>
    leaves
      .filter(({ name }) => name === 'mcp.servers')
      .map(({ value, place }): ServerSource => ({ source, place, servers: serversIn({ mcp: { servers: value } }) })),
  );
  return defined({ settings: treeOf(effective, schema), effective, serverSources, ignored, problem });
}

type SettingLayer = readonly [source: SettingSource, leaves: readonly Leaf[]];

function inForce(name: string, layers: readonly SettingLayer[]): EffectiveSetting {
  return isJoined(name) ? joinLayers(name, layers) : nearest(name, layers);
}

/**
 * Joins the values of a list or of a record from all sources. In a record, the nearer source wins where two have the
 * same name. `source` of the result is the nearest source that sets the value. `place` contains the places of all these
 * sources.
 */
function joinLayers(name: string, layers: readonly SettingLayer[]): EffectiveSetting {
  const found = layers.flatMap(([source, leaves]) =>
    leaves.filter((leaf) => leaf.name === name).map((leaf) => ({ ...leaf, source })),
  );
  const [first] = found;
  if (first === undefined) return nearest(name, layers);
  const value = Array.isArray(first.value)
    ? found.flatMap((leaf): readonly unknown[] => (Array.isArray(leaf.value) ? leaf.value : []))
    : Object.fromEntries(found.toReversed().flatMap((leaf) => Object.entries(leaf.value ?? {})));
  return { name, value, source: first.source, place: found.map(({ place }) => place).join(', ') };
}

function nearest(name: string, layers: readonly SettingLayer[]): EffectiveSetting {
  for (const [source, leaves] of layers) {
    const leaf = leaves.find((each) => each.name === name);
    if (leaf !== undefined) return { ...leaf, source };
  }
  return { name, source: 'default', place: byDefault(name) };
}

type OfWorkspace = { readonly used: readonly Leaf[] } & Pick<SettledSettings, 'ignored' | 'problem'>;

function ofWorkspace({ brought, trusted }: SettingsRequest, schema: SettingsSchema): OfWorkspace {
  if (brought === undefined) return { used: [], ignored: [] };
  try {
    const leaves = leavesBrought(brought, schema);
    if (trusted) return narrowLeaves(leaves, brought);
    return {
      used: leaves.filter(({ name }) => isDisplay(name)),
      ignored: leaves.filter(({ name }) => !isDisplay(name)),
    };
  } catch (error) {
    if (trusted || !(error instanceof SettingsError)) throw error;
    return { used: [], ignored: [], problem: error };
  }
}

/** Returns the settings of a trusted workspace, limited to those that a workspace may set. */
function narrowLeaves(leaves: readonly Leaf[], { workspace }: BroughtConfiguration): OfWorkspace {
  const used = leaves.flatMap((leaf) => {
    const value = broughtValue(leaf.name, leaf.value, workspace);
    return value === undefined ? [] : [{ ...leaf, value }];
  });
  const ignored = leaves.filter((leaf) => sizeOf(leaf) !== sizeOf(used.find(({ name }) => name === leaf.name)));
  return { used, ignored };
}

function sizeOf(leaf: Leaf | undefined): number {
  if (leaf === undefined) return 0;
  return Array.isArray(leaf.value) ? leaf.value.length : 1;
}

/** Settings of a workspace that take effect only with trust. */
export interface BroughtSettings {
  readonly servers: Readonly<Record<string, ServerSetting>>;
  readonly hooks: readonly HookSetting[];
  /** Rules of the workspace. Rules that allow are included, although they do not take effect. */
  readonly rules: readonly Rule[];
  /** All other settings of the workspace that need trust. */
  readonly leaves: readonly Leaf[];
}

/**
 * Returns the settings of a workspace that need trust.
 *
 * @throws SettingsError if the configuration of the workspace cannot be used.
 */
export function settingsBrought(brought: BroughtConfiguration, providers: readonly string[]): BroughtSettings {
  const schema = settingsSchema(providers);
  const leaves = leavesBrought(brought, schema).filter(({ name }) => !isDisplay(name));
  const { mcp, permissions, hooks = [] } = treeOf(leaves, schema);
  return {
    servers: mcp?.servers ?? {},
    hooks,
    rules: permissions?.rules ?? [],
    leaves: leaves.filter(({ name }) => !['mcp.servers', 'hooks', 'permissions.rules'].includes(name)),
  };
}

function leavesBrought({ configuration, workspace }: BroughtConfiguration, schema: SettingsSchema): readonly Leaf[] {
  return configuration === undefined
    ? []
    : parseConfiguration(configuration, join(workspace, CONFIGURATION_PATH), schema);
}

function treeOf(effective: readonly Pick<EffectiveSetting, 'name' | 'value'>[], schema: SettingsSchema): Settings {
  const tree: Tree = new Map();
  for (const { name, value } of effective) if (value !== undefined) put(tree, name.split('.'), value);
  return schema.parse(objectOf(tree));
}

/** Tree of settings while it is built. Only inner nodes are maps, because no setting has a map as its value. */
type Tree = Map<string, unknown>;

function put(tree: Tree, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    tree.set(first, value);
    return;
  }
  const found = tree.get(first);
  const below: Tree = found instanceof Map ? found : new Map();
  put(below, rest, value);
  tree.set(first, below);
}

function objectOf(tree: Tree): object {
  return Object.fromEntries([...tree].map(([name, one]) => [name, one instanceof Map ? objectOf(one) : one]));
}
