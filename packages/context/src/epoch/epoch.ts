// When an epoch opens, and what it says. Only with the first request that needs it: a setting changed and changed back
// opens none (L3).

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

/** What the next request is to be made with. */
export interface RequestSpec {
  readonly provider: string;
  readonly model: string;
  readonly parameters: RenderParameters;
  /** The catalog row, as an artifact. */
  readonly capabilities: Digest;
  readonly texts: FrontTexts;
  /**
   * When other tools are to be taken where the model takes none appended: with the next request, or with whatever epoch
   * opens next. Absent, it is now, unless tools are only taken away, or the log says that this list waits.
   */
  readonly takeTools?: 'now' | 'next-epoch';
  /** The stream that has a cache key of its own from the first: one of many that will call at once. */
  readonly stream?: string;
  /** What may stand in the place of `texts`; without it nothing is padded. */
  readonly padding?: PaddingOffer;
  /** Of a subagent: the front of its parent, with which its first epoch opens where that serves it. */
  readonly inherited?: InheritedFront & { readonly texts: FrontTexts };
}

/** The front of another session, as that one was told of it last. */
export interface InheritedFront {
  readonly opened: EpochOpened;
  /** What is cached of it. */
  readonly cached: readonly FrontEntry[];
}

/** A padded front, and when to take it. */
export interface PaddingOffer {
  readonly setting: PaddingSetting;
  /** The front of `texts` with its padding; absent where none fits. */
  readonly padded: FrontTexts | undefined;
  /** Other sessions that are expected on the same front while its entry lives. */
  readonly others: number;
}

/** Render parameters that set how much a model reasons. */
const REASONING = ['thinking', 'effort', 'output_config', 'reasoning', 'reasoning.effort'];

/** Why the next request would need a new epoch, were nothing appended; `undefined` when the one in force serves it. */
export function neededEpoch(state: State, wanted: RequestSpec): EpochCause | undefined {
  return epochCauses(state, wanted)[0];
}

/** In what the next request differs from what is in force, the weightiest first. */
export function epochCauses({ epoch, compacted, waiting }: State, wanted: RequestSpec): readonly EpochCause[] {
  if (epoch === undefined) return ['initial'];
  const { opened, inForce } = epoch;
  const causes: readonly (EpochCause | false | undefined)[] = [
    (opened.provider !== wanted.provider || opened.model !== wanted.model) && 'model',
    compacted !== undefined && compacted.position !== opened.checkpoint && 'compaction',
    waiting.quarantines > 0 && 'quarantine',
    waiting.prunings > 0 && 'pruning',
    opened.contract !== wanted.texts.contract && 'contract',
    !sameTools(inForce.tools, wanted) && 'tools',
    changedLayer(opened, wanted, [PADDING, ROLE, SKILLS]),
    inForce.role !== roleOf(wanted)?.record.digest && 'role',
    changedParameter(inForce.parameters, wanted.parameters),
  ];
  return causes.filter((cause) => cause !== undefined && cause !== false);
}

/** Returns the layer of the agent's own system text, where it has one. */
export function roleOf({ texts }: Pick<RequestSpec, 'texts'>): Layer | undefined {
  return texts.layers.find(({ record }) => record.name === ROLE);
}

/**
 * Whether a front serves what is wanted, its padding and an older log's list of skills apart: those are frozen with it. Its
 * tools may be others: what differs is appended behind it, or waits.
 */
export function servesAs(opened: EpochOpened, wanted: RequestSpec): boolean {
  const { provider, model, texts } = wanted;
  if (opened.provider !== provider || opened.model !== model || opened.contract !== texts.contract) return false;
  return changedLayer(opened, wanted, [PADDING, SKILLS]) === undefined;
}

/** Whether an epoch holds the front that is wanted, padded or not: that was decided when it opened, and is frozen with it. */
export function sameFront(opened: EpochOpened, wanted: RequestSpec): boolean {
  return sameTools(opened.tools, wanted) && changedLayer(opened, wanted, [PADDING]) === undefined;
}

function sameTools(tools: readonly ToolRecord[], { texts }: RequestSpec): boolean {
  return isSameJson(
    tools,
    texts.tools.map((tool) => tool.record),
  );
}

/** `but`: layers that are not compared. */
function changedLayer(
  opened: EpochOpened,
  { texts, padding }: RequestSpec,
  but: readonly string[],
): EpochCause | undefined {
  const before = without(opened.layers, but);
  const after = without(
    texts.layers.map(({ record }) => record),
    but,
  );
  const padded = padding?.padded?.layers.map(({ record }) => record);
  if (isSameJson(before, after) || (padded !== undefined && isSameJson(before, without(padded, but)))) return undefined;
  const changed = [...before, ...after].find(
    (one) => !(before.some((b) => isSameJson(b, one)) && after.some((a) => isSameJson(a, one))),
  );
  return changed?.name === ROLE ? 'role' : 'contract';
}

/** A layer of older logs, the list of skills. It stays until another epoch opens, and is no cause of one. */
const SKILLS = 'skills';

function without(
  layers: EpochOpened['layers'],
  but: readonly string[],
): readonly Pick<LayerRecord, 'name' | 'digest'>[] {
  return layers.filter(({ name }) => !but.includes(name)).map(({ name, digest }) => ({ name, digest }));
}

function changedParameter(before: RenderParameters, after: RenderParameters): EpochCause | undefined {
  const changed = changedNames(before, after);
  if (changed.length === 0) return undefined;
  return changed.every((name) => REASONING.includes(name)) ? 'reasoning' : 'parameters';
}

/** The render parameters that differ. A log may name any: what every object inherits is not among them. */
export function changedNames(before: RenderParameters, after: RenderParameters): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isSameJson(own(before, name), own(after, name)));
}

function own(parameters: RenderParameters, name: string): unknown {
  return Object.hasOwn(parameters, name) ? parameters[name] : null;
}

/** Returns true when two values have the same canonical JSON. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return canonicalText(a) === canonicalText(b);
}

/** The event that opens the epoch. */
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
  const also = epochCauses(state, wanted).filter((one) => one !== cause);
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

/** Input of the cache key, a routing hint that the sessions of one family share. It holds no prompt text and nothing volatile. */
export interface KeyInput {
  readonly contract: string;
  readonly model: string;
  /** The root session: forks and subagents inherit it. */
  readonly root: string;
  /** Digests of the tools, in order. */
  readonly tools: readonly string[];
  /** Digest of the list of skills that stands in the front of an older log. */
  readonly skills?: string;
  /** The stream that leaves the family's key for one of its own. */
  readonly stream?: string | undefined;
  /** Who finds the machine, as the catalog row has it. */
  readonly routing?: Capabilities['routing'];
}

/**
 * The contract's name and 12 hex digits each of the model, the root session (with the stream, if it is said), the tool list
 * and an older log's list of skills: 55 characters for `tm1`, within the 64 that OpenAI takes. Where the provider routes by itself the
 * key only keeps one family apart from another: the contract's name and the root alone.
 */
export function cacheKey(input: KeyInput, newHash: NewHash): string {
  const { contract, model, root, tools, skills = null, stream, routing } = input;
  const short = (value: unknown): string => newHash().update(canonicalText(value)).hex().slice(0, 12);
  if (routing === 'automatic') return `${contract}.${short(root)}`;
  const family = short(stream === undefined ? root : [root, stream]);
  return [contract, short(model), family, short(tools), short(skills)].join('.');
}

/** The key of the next request: the epoch's, or one of the stream's own where it left the family's; `undefined` before any epoch. */
export function keyInForce(state: State, routing: Capabilities['routing'], newHash: NewHash): string | undefined {
  const { epoch, pace, root = '' } = state;
  if (epoch === undefined || pace.own === undefined || routing === 'automatic') return epoch?.opened.cacheKey;
  const { contract, model, tools, skills } = epoch.opened;
  const digests = tools.map((tool) => tool.digest);
  const input = { contract, model, root, tools: digests, stream: pace.own };
  return cacheKey(skills === undefined ? input : { ...input, skills }, newHash);
}
