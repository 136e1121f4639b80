// Which value of each setting is in force, and where it comes from. The nearer source wins: what was typed, the environment,
// the workspace, the user's own file, the default. What an untrusted workspace sets is left out and named.

import { join } from 'node:path';

import { defined } from '@tidemark/core';
import type { Rule } from '@tidemark/agent';

import type { BroughtConfiguration } from './workspace-contents.ts';
import { CONFIGURATION_PATH } from './workspace-contents.ts';
import type { Leaf } from './check-settings.ts';
import type { Environment } from './environment-settings.ts';
import { environmentSettings } from './environment-settings.ts';
import { parseConfiguration, readConfiguration, readOwnConfiguration } from './read-configuration.ts';
import type { ServerSetting, Settings, SettingsSchema } from './settings.ts';
import { broughtValue, byDefault, isDisplay, isJoined, leavesOf, settingsSchema } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/** Where a value comes from, the weakest first. */
export type SettingSource = 'default' | 'user' | 'workspace' | 'environment';

/** A setting and its value in force. */
export interface EffectiveSetting {
  /** `limits.cost`. */
  readonly name: string;
  /** Not there where it is the default. */
  readonly value?: unknown;
  readonly source: SettingSource;
  /** A file and line, a variable; for a default what that is. */
  readonly place: string;
}

/** What is in force in a workspace. */
export interface SettledSettings {
  readonly settings: Settings;
  /** Every setting there is, in the order of the schema. */
  readonly effective: readonly EffectiveSetting[];
  /** What the workspace sets and may not: because it is not trusted, or because no workspace may. */
  readonly ignored: readonly Leaf[];
  /** Why the configuration of an untrusted workspace cannot be used at all; a trusted one would be refused. */
  readonly problem?: SettingsError;
}

/** Where to look. */
export interface SettingsRequest {
  /** Names of the providers that there are. */
  readonly providers: readonly string[];
  /** The user's own folder of configuration. */
  readonly folder: string;
  /** In the place of what lies in that folder. */
  readonly file?: string;
  readonly environment: Environment;
  readonly brought?: BroughtConfiguration;
  readonly trusted: boolean;
}

/** @throws SettingsError for what the user, or a workspace that is trusted, said wrong. */
export async function readSettings(request: SettingsRequest): Promise<SettledSettings> {
  const schema = settingsSchema(request.providers);
  const { folder, file, environment } = request;
  const own = await (file === undefined ? readOwnConfiguration(folder, schema) : readConfiguration(file, schema));
  const { used, ignored, problem } = ofWorkspace(request, schema);
  const layers: readonly SettingLayer[] = [
    ['environment', environmentSettings(environment, leavesOf(schema))],
    ['workspace', used],
    ['user', own],
  ];
  const effective = [...leavesOf(schema).keys()].map((name) => inForce(name, layers));
  return defined({ settings: treeOf(effective, schema), effective, ignored, problem });
}

type SettingLayer = readonly [source: SettingSource, leaves: readonly Leaf[]];

function inForce(name: string, layers: readonly SettingLayer[]): EffectiveSetting {
  return isJoined(name) ? joinLayers(name, layers) : nearest(name, layers);
}

/** A list of all sources together: the nearest one is named as its source, and each with its place. */
function joinLayers(name: string, layers: readonly SettingLayer[]): EffectiveSetting {
  const found = layers.flatMap(([source, leaves]) =>
    leaves.filter((leaf) => leaf.name === name).map((leaf) => ({ ...leaf, source })),
  );
  const [first] = found;
  if (first === undefined) return nearest(name, layers);
  const value = found.flatMap((leaf): readonly unknown[] => (Array.isArray(leaf.value) ? leaf.value : []));
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

/** What a trusted workspace sets, as far as any workspace may. */
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

/** What a workspace sets that needs trust. */
export interface BroughtSettings {
  readonly servers: Readonly<Record<string, ServerSetting>>;
  /** Those that allow among them, which are not in force. */
  readonly rules: readonly Rule[];
  /** All others. */
  readonly leaves: readonly Leaf[];
}

/** @throws SettingsError where the configuration of the workspace cannot be used. */
export function settingsBrought(brought: BroughtConfiguration, providers: readonly string[]): BroughtSettings {
  const schema = settingsSchema(providers);
  const leaves = leavesBrought(brought, schema).filter(({ name }) => !isDisplay(name));
  const { mcp, permissions } = treeOf(leaves, schema);
  return {
    servers: mcp?.servers ?? {},
    rules: permissions?.rules ?? [],
    leaves: leaves.filter(({ name }) => name !== 'mcp.servers' && name !== 'permissions.rules'),
  };
}

function leavesBrought({ configuration, workspace }: BroughtConfiguration, schema: SettingsSchema): readonly Leaf[] {
  return configuration === undefined
    ? []
    : parseConfiguration(configuration, join(workspace, CONFIGURATION_PATH), schema);
}

/** The leaves as a tree again. */
function treeOf(effective: readonly Pick<EffectiveSetting, 'name' | 'value'>[], schema: SettingsSchema): Settings {
  const tree: Tree = new Map();
  for (const { name, value } of effective) if (value !== undefined) put(tree, name.split('.'), value);
  return schema.parse(objectOf(tree));
}

/** A tree that is under way; a value of a setting is never a map. */
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
