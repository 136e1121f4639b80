// Front of an epoch: layers 0 (runtime), 3 (the agent's own system text) and 4 (padding). The front is composed when an
// epoch opens, and keeps its bytes until the next epoch. It contains only the operator's text. The content of files is
// in notes. Older logs also have a layer 2, the list of skills.

import type { Digest, EpochOpened, LayerRecord, RenderParameters, ToolRecord } from '@tidemark/log';
import { canonicalText, digest } from '@tidemark/log';
import type { Capabilities, Front, JsonValue, NewHash, SystemText, FrontToolDefinition } from '@tidemark/model';
import { TM1, TM1_MINIMAL, TM1_RUNTIME } from './contract/tm1.ts';
import { TM2_BRIEF } from './contract/tm2.ts';
import { TM3, TM3_BRIEF, TM3_MINIMAL, TM3_RUNTIME } from './contract/tm3.ts';
import { estimateTokens, utf8Length } from '../base/estimate.ts';
import { GUIDE } from './contract/guide.ts';

/** A tool as its author defines it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: JsonValue;
  /**
   * SHA-256 digests of earlier canonical definitions. Every call that an earlier definition allows has the same meaning
   * under this definition: only the wording changed, or an optional argument was added. If a session was shown an
   * earlier definition, it keeps that definition until another cause opens an epoch. A new definition therefore does not
   * break the session's cache.
   */
  readonly earlier?: readonly string[];
}

/** One layer with its text. */
export interface Layer {
  readonly record: LayerRecord;
  readonly text: string;
  /**
   * Digests of earlier wordings of this layer. If a session began with an earlier wording, it keeps that wording until
   * another cause opens an epoch.
   */
  readonly earlier?: readonly Digest[];
}

/** One tool with its canonical definition. */
export interface FrontTool {
  readonly record: ToolRecord;
  readonly definition: string;
  /**
   * Digests of earlier wordings of this definition. If a session began with an earlier wording, it keeps that wording
   * until another cause opens an epoch.
   */
  readonly earlier?: readonly Digest[];
}

/** A front with its texts. `epoch.opened` records the texts by digest. */
export interface FrontTexts {
  readonly contract: string;
  readonly layers: readonly Layer[];
  /** Tools, ordered by name. */
  readonly tools: readonly FrontTool[];
  /** Names of the skills whose bodies are in the padding. */
  readonly preloaded?: readonly string[];
}

/**
 * Variant of layer 0. `full` contains all parts of the layer. `minimal` omits the identity and the working rules. Use
 * it if the agent's own system text contains them. `brief` is for an agent that has only its own tools. It contains
 * nothing about project instructions and skills. It has about 100 tokens, at most 150 with the note on the permission
 * mode.
 */
export type RuntimeText = 'full' | 'minimal' | 'brief';

/** Text of each variant, and the earlier text that this text replaced. */
const RUNTIME_TEXTS: Readonly<Record<RuntimeText, { readonly text: string; readonly earlier: string }>> = {
  full: { text: TM3_RUNTIME, earlier: TM1_RUNTIME },
  minimal: { text: TM3_MINIMAL, earlier: TM1_MINIMAL },
  brief: { text: TM3_BRIEF, earlier: TM2_BRIEF },
};

/** Settings of the front that the agent's author chooses. */
export interface FrontSpec {
  /** Default: `full`. */
  readonly runtime?: RuntimeText;
  readonly tools?: readonly ToolSpec[];
  /** The agent's own system text, layer 3. It comes after layer 0, and layer 0 stays complete. */
  readonly role?: string;
}

/** Name of the layer with the agent's own system text. */
export const ROLE = 'role';

/** Composes the layers of the contract `tm3`. Equal input gives equal bytes in any process. */
export function composeFront(spec: FrontSpec, newHash: NewHash): FrontTexts {
  const { text, earlier } = RUNTIME_TEXTS[spec.runtime ?? 'full'];
  const runtime = layer('runtime', TM3, 'global', text, newHash);
  const layers: Layer[] = [{ ...runtime, earlier: [digest(newHash().update(earlier).hex())] }];
  if (spec.role) layers.push(layer(ROLE, 'r1', 'project', spec.role, newHash));
  return { contract: TM3, layers, tools: (spec.tools ?? []).map((tool) => defineTool(tool, newHash)).toSorted(byName) };
}

/** Returns one layer with the digest and the size of its text. */
export function layer(
  name: string,
  revision: string,
  stability: LayerRecord['stability'],
  text: string,
  newHash: NewHash,
): Layer {
  const bytes = newHash().update(text);
  const record: LayerRecord = {
    name,
    revision,
    stability,
    digest: digest(bytes.hex()),
    bytes: utf8Length(text),
    tokens: estimateTokens(text),
    sized: 'estimated',
  };
  return { record, text };
}

/** Returns a tool with its canonical bytes, which do not depend on the order of the keys in its schema. */
export function defineTool(tool: ToolSpec, newHash: NewHash): FrontTool {
  const { name, description, schema, earlier } = tool;
  const definition = canonicalText({ description, name, schema });
  const record = { name, digest: digest(newHash().update(definition).hex()) };
  return { record, definition, ...(earlier !== undefined && { earlier: earlier.map(digest) }) };
}

/**
 * Returns the estimated tokens and the bytes of all tool definitions together. The size of a list is computed only one
 * time, because a session needs it often.
 */
export function sizeOfTools({ tools }: FrontTexts): ToolSize {
  const held = SIZES.get(tools);
  if (held !== undefined) return held;
  const size = {
    tokens: tools.reduce((sum, { definition }) => sum + estimateTokens(definition), 0),
    bytes: tools.reduce((sum, { definition }) => sum + utf8Length(definition), 0),
  };
  SIZES.set(tools, size);
  return size;
}

type ToolSize = NonNullable<EpochOpened['toolSize']>;

const SIZES: WeakMap<FrontTexts['tools'], ToolSize> = new WeakMap();

function byName(a: FrontTool, b: FrontTool): number {
  return a.record.name < b.record.name ? -1 : a.record.name > b.record.name ? 1 : 0;
}

/** Returns the front in the form that a provider's encoder converts to blocks: texts in layer order, tools by name. */
export function frontOf(texts: FrontTexts, model: string, parameters: RenderParameters): Front {
  return {
    model,
    parameters,
    tools: texts.tools.map(({ record, definition }): FrontToolDefinition => ({
      name: record.name,
      definition,
      origin: { from: 'layer', layer: 'tools', revision: record.digest.slice(0, 12) },
    })),
    system: texts.layers.map(({ record, text }): SystemText => ({
      text,
      stability: record.stability,
      origin: { from: 'layer', layer: record.name, revision: record.revision },
      ...(record.sized === 'recorded' ? { tokens: record.tokens } : {}),
    })),
  };
}

/** Returns the render parameters that this model knows. Other parameters are not sent. */
export function knownParameters(parameters: RenderParameters, capabilities: Capabilities): RenderParameters {
  const known = Object.entries(parameters).filter(([name]) => Object.hasOwn(capabilities.renderParameters, name));
  return Object.fromEntries(known.map(([name, value]) => [name, value ?? null]));
}

// The next functions build the padding layer. First it gets whole sections of the operating guide, in their fixed
// order, until the front is just above the floor. Then it gets whole preloaded skills, ordered by name, up to the upper
// limit `cap`. The same input gives the same bytes in any process.

/** A user's own skill, outside the workspace, that is marked for preloading. */
export interface Preload {
  readonly name: string;
  /** Body of the skill. It is used whole or not at all, because the model cannot read a part that is cut off. */
  readonly body: string;
}

/** Limits and content of the padding. */
export interface PadOptions {
  /** The model's floor in tokens; `undefined` if unknown. */
  readonly floor: number | undefined;
  readonly preloads: readonly Preload[];
  /**
   * Observed error of estimates, as a share (`scales.ts`). Default: 0.1, for a session that has not observed an error
   * yet.
   */
  readonly error?: number;
}

/** Name of the padding layer. */
export const PADDING = 'padding';

/**
 * Limits in tokens for a model with an unknown floor. Both are based on the highest known floor of any model. `target`
 * is a tenth above that floor, and `cap` is a third above it.
 */
export const UNKNOWN_FLOOR = { target: 4_500, cap: 5_500 } as const;

/**
 * Error of estimates that is assumed before an error is observed. A padded front must really reach the floor. Otherwise
 * all of the padding is wasted.
 */
const FIRST_ERROR = 0.1;

/**
 * Upper limit `cap` of a padded front, as a multiple of the floor. Sections have different sizes, so there must be
 * space for one section above the floor.
 */
const CAP = 4 / 3;

const MIN_ROOM = 300;

/** Returns the estimated tokens of the tools and the system text, before a provider has counted them. */
export function frontTokens(front: FrontTexts): number {
  return front.layers.reduce((sum, { record }) => sum + record.tokens, sizeOfTools(front).tokens);
}

/**
 * Returns the front with its padding layer. Returns `undefined` if the front needs no padding. Also returns `undefined`
 * if no set of whole sections reaches the floor and stays below the upper limit `cap`.
 */
export function padFront(front: FrontTexts, options: PadOptions, newHash: NewHash): FrontTexts | undefined {
  const { target, cap } = bounds(options);
  const natural = frontTokens(front);
  if (natural >= (options.floor ?? target)) return undefined;
  const parts: string[] = [TITLE];
  let most = natural + estimateTokens(TITLE);
  const take = (part: string): boolean => {
    const tokens = estimateTokens(part);
    if (most + tokens > cap) return false;
    parts.push(part);
    most += tokens;
    return true;
  };
  // The estimate of each part was rounded up by less than one token. If one token per part is subtracted, the result is
  // a lower bound.
  const isShort = (): boolean => most - parts.length < target;
  for (const { heading, text } of GUIDE) if (isShort()) take(`## ${heading}\n\n${text}`);
  const preloads = options.preloads.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const held = preloads.filter(({ name, body }) => take(`## Skill: ${name} [preloaded]\n\n${body.trimEnd()}\n`));
  if (isShort()) return undefined;
  const preloaded = held.map(({ name }) => name);
  return {
    ...front,
    layers: [...front.layers, layer(PADDING, TM1, 'project', parts.join('\n'), newHash)],
    ...(preloaded.length === 0 ? {} : { preloaded }),
  };
}

const TITLE = '# Operating guide\n';

function bounds({ floor, error = FIRST_ERROR }: PadOptions): { readonly target: number; readonly cap: number } {
  if (floor === undefined) return UNKNOWN_FLOOR;
  const target = Math.ceil(floor * (1 + error));
  return { target, cap: Math.max(Math.floor(floor * CAP), target + MIN_ROOM) };
}
