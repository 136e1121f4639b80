// Decides when an epoch opens, and builds its event. An epoch opens only with the first request that needs it. If a
// setting is changed and then changed back, no epoch opens (L3).

import { defined } from '@tidemark/core';
import type {
  Digest,
  EpochCause,
  EpochForecast,
  EpochOpened,
  FrontEntry,
  LayerRecord,
  PaddingSetting,
  RenderParameters,
  ToolRecord,
} from '@tidemark/log';
import { canonicalText } from '@tidemark/log';
import type { Capabilities, NewHash } from '@tidemark/model';
import type { FrontTexts, Layer } from '../front/front.ts';
import { ROLE, sizeOfTools, PADDING } from '../front/front.ts';
import type { State } from '../state/state.ts';

/** Values that the next request must have: its provider, model, parameters, catalog row and front. */
export interface RequestSpec {
  readonly provider: string;
  readonly model: string;
  readonly parameters: RenderParameters;
  /** Digest of the catalog row, which is stored as an artifact. */
  readonly capabilities: Digest;
  readonly texts: FrontTexts;
  /**
   * Time at which a changed tool list applies, if the model accepts no appended tools. `now`: with the next request.
   * `next-epoch`: with the next epoch that opens for any reason. If tools are only removed, or if the log already
   * records this list for the next epoch, the default is `next-epoch`. Otherwise the default is `now`.
   */
  readonly takeTools?: 'now' | 'next-epoch';
  /** Names of tools that do not justify an epoch. They have an effect only if `takeTools` is absent. */
  readonly patientTools?: ReadonlySet<string>;
  /**
   * Name of the stream, if the stream uses its own cache key from its first call. Set if many streams will call at the
   * same time.
   */
  readonly stream?: string;
  /** Padded front that may replace `texts`. If absent, the front is not padded. */
  readonly padding?: PaddingOffer;
  /**
   * Only for a subagent: the front of its parent. The subagent's first epoch opens with this front if it fits the
   * request.
   */
  readonly inherited?: InheritedFront & { readonly texts: FrontTexts };
}

/** Front of another session, in the form that the session last reported. */
export interface InheritedFront {
  readonly opened: EpochOpened;
  /** Cached entries of the front. */
  readonly cached: readonly FrontEntry[];
}

/** Padded front, and the conditions for using it. */
export interface PaddingOffer {
  readonly setting: PaddingSetting;
  /** The front of `texts` with padding. Absent if no padding fits. */
  readonly padded: FrontTexts | undefined;
  /** Number of other sessions that are expected to use the same front while its cache entry is live. */
  readonly others: number;
}

/** Render parameters that set the amount of reasoning. */
const REASONING = ['thinking', 'effort', 'output_config', 'reasoning', 'reasoning.effort'];

/**
 * Returns the most important cause for a new epoch. Returns `undefined` if the next request can use the current epoch.
 * Differences that could be appended to the history also count as causes.
 */
export function neededEpoch(state: State, wanted: RequestSpec): EpochCause | undefined {
  return epochCauses(state, wanted)[0];
}

/**
 * Returns the differences between the next request and the current epoch as causes for a new epoch, the most important
 * first. Returns `initial` alone if no epoch is open.
 */
export function epochCauses({ epoch, compacted, waiting }: State, wanted: RequestSpec): readonly EpochCause[] {
  if (epoch === undefined) return ['initial'];
  const { opened, inForce } = epoch;
  const causes: readonly (EpochCause | false | undefined)[] = [
    (opened.provider !== wanted.provider || opened.model !== wanted.model) && 'model',
    compacted !== undefined && compacted.position !== opened.checkpoint && 'compaction',
    waiting.quarantines > 0 && 'quarantine',
    waiting.prunings > 0 && 'pruning',
    !sameContract(opened, wanted) && 'contract',
    !sameTools(inForce.tools, wanted) && 'tools',
    changedLayer(opened, wanted, [PADDING, ROLE, SKILLS]),
    inForce.role !== roleOf(wanted)?.record.digest && 'role',
    changedParameter(inForce.parameters, wanted.parameters),
  ];
  return causes.filter((cause) => cause !== undefined && cause !== false);
}

/** Returns the layer of the agent's own system text, if the front has one. */
export function roleOf({ texts }: Pick<RequestSpec, 'texts'>): Layer | undefined {
  return texts.layers.find(({ record }) => record.name === ROLE);
}

/**
 * Checks that the wanted request can use the front of an epoch. The padding of the front and the skill list of an older
 * log are not compared, because they do not change during an epoch. Tools may differ: changed tools are appended after
 * the front, or wait for a later epoch.
 */
export function servesAs(opened: EpochOpened, wanted: RequestSpec): boolean {
  const { provider, model } = wanted;
  if (opened.provider !== provider || opened.model !== model || !sameContract(opened, wanted)) return false;
  return changedLayer(opened, wanted, [PADDING, SKILLS]) === undefined;
}

/**
 * Checks that an epoch has the wanted front, with or without padding. Padding is not compared, because it was decided
 * when the epoch opened and does not change after that.
 */
export function sameFront(opened: EpochOpened, wanted: RequestSpec): boolean {
  return sameTools(opened.tools, wanted) && changedLayer(opened, wanted, [PADDING]) === undefined;
}

function sameTools(tools: readonly ToolRecord[], { texts }: RequestSpec): boolean {
  return sameTexts(tools, texts.tools);
}

interface WantedText {
  readonly record: Pick<LayerRecord, 'name' | 'digest'>;
  readonly earlier?: readonly Digest[];
}

/**
 * Checks that a recorded text is the wanted text or an earlier wording of it. An earlier wording stays in the session
 * until another cause opens an epoch.
 */
export function isWordingOf(held: Pick<LayerRecord, 'name' | 'digest'>, { record, earlier = [] }: WantedText): boolean {
  return held.name === record.name && (held.digest === record.digest || earlier.includes(held.digest));
}

function sameTexts(held: readonly Pick<LayerRecord, 'name' | 'digest'>[], wanted: readonly WantedText[]): boolean {
  return (
    held.length === wanted.length && wanted.every((one, at) => held[at] !== undefined && isWordingOf(held[at], one))
  );
}

/**
 * Checks that an epoch has the wanted contract. A contract is named by its runtime layer, so an earlier wording of that
 * layer counts as the same contract.
 */
function sameContract(opened: EpochOpened, { texts }: RequestSpec): boolean {
  if (opened.contract === texts.contract) return true;
  const [runtime] = texts.layers;
  return runtime !== undefined && opened.layers.some((held) => isWordingOf(held, runtime));
}

/**
 * Returns `role` if the layer that differs is the agent's own system text. Returns `contract` for any other layer, and
 * `undefined` if no layer differs. Layers named in `but` are not compared.
 */
function changedLayer(
  opened: EpochOpened,
  { texts, padding }: RequestSpec,
  but: readonly string[],
): EpochCause | undefined {
  const before = opened.layers.filter(({ name }) => !but.includes(name));
  const after = without(texts.layers, but);
  const padded = padding?.padded;
  if (sameTexts(before, after) || (padded !== undefined && sameTexts(before, without(padded.layers, but))))
    return undefined;
  const removed = before.find((held) => !after.some((one) => isWordingOf(held, one)));
  const added = after.find((one) => !before.some((held) => isWordingOf(held, one)));
  return (removed ?? added?.record)?.name === ROLE ? 'role' : 'contract';
}

/**
 * Name of the skill list layer, which exists only in older logs. The layer stays until another cause opens an epoch.
 * The layer itself opens no epoch.
 */
const SKILLS = 'skills';

function without(layers: readonly Layer[], but: readonly string[]): readonly Layer[] {
  return layers.filter(({ record }) => !but.includes(record.name));
}

function changedParameter(before: RenderParameters, after: RenderParameters): EpochCause | undefined {
  const changed = changedNames(before, after);
  if (changed.length === 0) return undefined;
  return changed.every((name) => REASONING.includes(name)) ? 'reasoning' : 'parameters';
}

/**
 * Returns the names of the render parameters that differ. A log may contain any name, for example `constructor`. Only
 * own members are therefore compared, never inherited members.
 */
export function changedNames(before: RenderParameters, after: RenderParameters): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isSameJson(own(before, name), own(after, name)));
}

function own(parameters: RenderParameters, name: string): unknown {
  return Object.hasOwn(parameters, name) ? parameters[name] : null;
}

function isSameJson(a: unknown, b: unknown): boolean {
  return canonicalText(a) === canonicalText(b);
}

/** Returns the data of the `epoch.opened` event for the wanted request. `also` lists all causes other than `cause`. */
export function openEpoch(
  state: State,
  wanted: RequestSpec,
  cause: EpochCause,
  forecast: EpochForecast,
  newHash: NewHash,
  routing?: Capabilities['routing'],
): EpochOpened {
  const { texts, provider, model, parameters, capabilities, stream } = wanted;
  const tools = texts.tools.map((tool) => tool.record);
  const root = state.root ?? state.session ?? '';
  const also = epochCauses(state, withoutEarlier(wanted)).filter((one) => one !== cause);
  const key = {
    contract: texts.contract,
    model,
    root,
    tools: tools.map((tool) => tool.digest),
    stream: state.pace.own ?? stream,
    ...defined({ routing }),
  };
  return {
    number: (state.epoch?.opened.number ?? -1) + 1,
    cause,
    ...(also.length === 0 ? {} : { also }),
    provider,
    model,
    parameters,
    capabilities,
    contract: texts.contract,
    layers: texts.layers.map((one) => one.record),
    tools,
    ...(tools.length === 0 ? {} : { toolSize: sizeOfTools(texts) }),
    ...defined({ checkpoint: state.compacted?.position }),
    ...(state.quarantines.length === 0 ? {} : { quarantines: state.quarantines.map(({ position }) => position) }),
    ...(state.prunings.length === 0 ? {} : { prunings: state.prunings.map(({ position }) => position) }),
    cacheKey: cacheKey(key, newHash),
    forecast,
  };
}

/**
 * Returns the request without the earlier wordings of its texts. A new epoch takes the new wording, so its record must
 * name a changed wording as a cause.
 */
function withoutEarlier(wanted: RequestSpec): RequestSpec {
  const { texts } = wanted;
  const layers = texts.layers.map(({ record, text }) => ({ record, text }));
  const tools = texts.tools.map(({ record, definition }) => ({ record, definition }));
  return { ...wanted, texts: { ...texts, layers, tools } };
}

/**
 * Input of the cache key, a routing hint that the sessions of one family share. The key contains no prompt text and no
 * volatile value.
 */
export interface KeyInput {
  readonly contract: string;
  readonly model: string;
  /** Id of the root session, which forks and subagents inherit. */
  readonly root: string;
  /** Digests of the tools, in order. */
  readonly tools: readonly string[];
  /** Digest of the skill list in the front of an older log. */
  readonly skills?: string;
  /**
   * Name of the stream or id of the session that uses its own key instead of the family's key. Absent for the family's
   * key.
   */
  readonly stream?: string | undefined;
  /** Routing rule of the catalog row. */
  readonly routing?: Capabilities['routing'];
}

/**
 * Returns the cache key. The key begins with the contract's name. After the name, there are 12 hex digits for each of
 * these values: the model, the root session (with the stream, if given), the tool list, and the skill list of an older
 * log. The key has 55 characters for `tm1`, within OpenAI's limit of 64.
 *
 * If the provider chooses the machine without the key (`automatic`), the key only distinguishes families. In this case,
 * it contains only the contract's name and the digits for the root session.
 */
export function cacheKey(input: KeyInput, newHash: NewHash): string {
  const { contract, model, root, tools, skills = null, stream, routing } = input;
  const short = (value: unknown): string => newHash().update(canonicalText(value)).hex().slice(0, 12);
  if (routing === 'automatic') return `${contract}.${short(root)}`;
  const family = short(stream === undefined ? root : [root, stream]);
  return [contract, short(model), family, short(tools), short(skills)].join('.');
}

/**
 * Returns the cache key of the next request. This is the session's own key if the session no longer uses the family's
 * key. Otherwise it is the key of the epoch. Returns `undefined` before any epoch.
 */
export function keyInForce(state: State, routing: Capabilities['routing'], newHash: NewHash): string | undefined {
  const { epoch, pace, root = '' } = state;
  if (epoch === undefined || pace.own === undefined || routing === 'automatic') return epoch?.opened.cacheKey;
  const { contract, model, tools, skills } = epoch.opened;
  const digests = tools.map((tool) => tool.digest);
  const input = { contract, model, root, tools: digests, stream: pace.own };
  return cacheKey(skills === undefined ? input : { ...input, skills }, newHash);
}
