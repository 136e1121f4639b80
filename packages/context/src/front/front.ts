// The epoch front: layers 0 and 3 (padding, layer 4, is in `pad-front.ts`), composed once when an epoch opens, and the same bytes until the
// next one. It holds the operator's words alone; what files say stands in notes. Older logs have a layer 2, the list of skills.

import type { EpochOpened, LayerRecord, RenderParameters, ToolRecord } from '@tidemark/log';
import { canonicalText, digest } from '@tidemark/log';
import type { Capabilities, Front, JsonValue, NewHash, SystemText, FrontToolDefinition } from '@tidemark/model';
import { TM1, TM1_MINIMAL, TM1_RUNTIME } from './contract/tm1.ts';
import { TM2, TM2_BRIEF } from './contract/tm2.ts';
import { estimateTokens } from '../base/estimate.ts';
import { utf8Length } from '../base/utf8.ts';

/** A tool as its author gives it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly schema: JsonValue;
}

/** One layer with its text. */
export interface Layer {
  readonly record: LayerRecord;
  readonly text: string;
}

/** One tool with its canonical definition. */
export interface FrontTool {
  readonly record: ToolRecord;
  readonly definition: string;
}

/** A front with its texts: what `epoch.opened` names by digest. */
export interface FrontTexts {
  readonly contract: string;
  readonly layers: readonly Layer[];
  /** Ordered by name. */
  readonly tools: readonly FrontTool[];
  /** Skills whose bodies stand in its padding. */
  readonly preloaded?: readonly string[];
}

/**
 * How much layer 0 holds. `minimal` leaves identity and working rules to the agent's own system text. `brief` is at most 150
 * tokens, for an agent with only tools of its own: it tells nothing about project instructions and skills.
 */
export type RuntimeText = 'full' | 'minimal' | 'brief';

/** Each text with the contract that it belongs to. */
const RUNTIME_TEXTS: Readonly<Record<RuntimeText, { readonly contract: string; readonly text: string }>> = {
  full: { contract: TM1, text: TM1_RUNTIME },
  minimal: { contract: TM1, text: TM1_MINIMAL },
  brief: { contract: TM2, text: TM2_BRIEF },
};

/** What the agent's author chooses for the front. */
export interface FrontSpec {
  /** `full` unless said. */
  readonly runtime?: RuntimeText;
  readonly tools?: readonly ToolSpec[];
  /** The agent's own system text, layer 3: it stands behind layer 0 and takes nothing of it away. */
  readonly role?: string;
}

/** The name of the layer with the agent's own system text. */
export const ROLE = 'role';

/** Composes the layers of the contract that the runtime text belongs to. Equal input gives equal bytes, in any process. */
export function composeFront(spec: FrontSpec, newHash: NewHash): FrontTexts {
  const { contract, text } = RUNTIME_TEXTS[spec.runtime ?? 'full'];
  const layers = [layer('runtime', contract, 'global', text, newHash)];
  if (spec.role) layers.push(layer(ROLE, 'r1', 'project', spec.role, newHash));
  return { contract, layers, tools: (spec.tools ?? []).map((tool) => defineTool(tool, newHash)).toSorted(byName) };
}

/** One layer, with the digest of its bytes. */
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

/** A tool as canonical bytes: whatever the order of its schema's keys was. */
export function defineTool(tool: ToolSpec, newHash: NewHash): FrontTool {
  const { name, description, schema } = tool;
  const definition = canonicalText({ description, name, schema });
  return { record: { name, digest: digest(newHash().update(definition).hex()) }, definition };
}

/** Of all definitions together: estimated tokens, and bytes. Counted once for each list, which a session asks for often. */
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

/** The front as a provider lowers it: texts in layer order, tools by name. */
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

/** Which render parameters this model knows: others do not reach its wire. */
export function knownParameters(parameters: RenderParameters, capabilities: Capabilities): RenderParameters {
  const known = Object.entries(parameters).filter(([name]) => Object.hasOwn(capabilities.renderParameters, name));
  return Object.fromEntries(known.map(([name, value]) => [name, value ?? null]));
}
