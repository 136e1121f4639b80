// Lowers a front and spans to blocks, for any API. Each part of a span becomes pieces (`BlockPiece`). The pieces become
// blocks in the order that every API requires. Also writes the render parameters. They are part of the cache key, so
// they must not change, and they come first in the body.

import type {
  Block,
  BoundReasoningPart,
  Envelope,
  Front,
  JsonValue,
  Lowering,
  Part,
  Role,
  Span,
} from '@tidemark/model';
import { canonicalText } from '@tidemark/model';
import type { Service } from './service.ts';
import { refuse } from './service.ts';

/** The fields of a block that depend on a single part of a span and not on the whole message. */
export type BlockPiece = Pick<
  Block,
  'head' | 'tail' | 'markable' | 'run' | 'holds' | 'tokens' | 'mediaBytes' | 'betas'
>;

/** Returns a piece that cannot have a marker. All of its text is in `head`. */
export function piece(head: string, holds: BlockPiece['holds'], tokens: number, mediaBytes = 0): BlockPiece {
  return { head, tail: '', markable: false, run: 'none', holds, tokens, mediaBytes };
}

/** Returns a block of the front, which is outside every message. */
export function frontBlock(section: 'tools' | 'system', made: BlockPiece, origin: Block['origin']): Block {
  return { section, role: 'system', group: -1, ...made, opensTurn: false, origin };
}

/**
 * Returns the blocks of the system texts of a front. `write` encodes each text. A text with a recorded token count
 * keeps that count. Blank texts produce no block.
 */
export function systemBlocks(
  front: Front,
  lowering: Lowering,
  write: (text: string, lowering: Lowering) => BlockPiece | undefined,
): readonly Block[] {
  return front.system.flatMap(({ text, tokens, origin }) => {
    const made = write(text, lowering);
    return made === undefined ? [] : [frontBlock('system', { ...made, tokens: tokens ?? made.tokens }, origin)];
  });
}

type PlacedBlockPiece = BlockPiece & Pick<Block, 'part'>;

/** Lowers each part of a span. A part may become one piece, several pieces or no piece. */
export function piecesOf(
  span: Span,
  lower: (part: Part) => BlockPiece | readonly BlockPiece[] | undefined,
): readonly PlacedBlockPiece[] {
  return span.parts.flatMap((one, part) => [lower(one) ?? []].flat().map((made) => ({ ...made, part })));
}

/**
 * Returns the blocks for the pieces of one span. Reasoning with no part after it is omitted, and results come first.
 */
export function spanBlocks(span: Span, role: Role, pieces: readonly PlacedBlockPiece[]): readonly Block[] {
  const packed = pieces.slice(0, pieces.findLastIndex(({ holds }) => holds !== 'thinking') + 1);
  return resultsFirst(packed).map((made, index) => ({
    section: 'messages',
    role,
    group: span.group,
    ...made,
    opensTurn: span.opensTurn && index === 0,
    origin: span.origin,
  }));
}

function resultsFirst(pieces: readonly PlacedBlockPiece[]): readonly PlacedBlockPiece[] {
  const results = pieces.filter(({ holds }) => holds === 'result');
  return results.length === 0 ? pieces : [...results, ...pieces.filter(({ holds }) => holds !== 'result')];
}

/**
 * Returns the role of a message in the API. A system or developer message has the role `operator` if the model accepts
 * such a message in the history, else `user`.
 */
export function wireRole(role: Role, lowering: Lowering, operator: Role): Role {
  if (role === 'user' || role === 'assistant') return role;
  return lowering.capabilities.appends.includes('system') ? operator : 'user';
}

/**
 * True if reasoning came from this service and from the requested model. Another name of the same model, such as an
 * alias, counts too.
 */
export function isOwnReasoning({ name }: Pick<Service, 'name'>, part: BoundReasoningPart, lowering: Lowering): boolean {
  if (part.provider !== name) return false;
  if (part.model === lowering.model) return true;
  const names = [lowering.capabilities.model, ...lowering.capabilities.aliases];
  return names.includes(part.model) && names.includes(lowering.model);
}

/** Fields of a request body by name. */
export type BodyFields = { readonly [name: string]: JsonValue | undefined };

/** The render parameters that an API accepts. */
export interface ParameterNames {
  /** Names of the parameters that are fields of the body. */
  readonly fields: ReadonlySet<string>;
  /**
   * Parameters that are members of a field, by their name in the capability row, for example `reasoning.effort`.
   * `otherwise` is the initial value of the field if the field itself is not set.
   */
  readonly inside: ReadonlyMap<string, readonly [field: string, member: string, otherwise?: BodyFields]>;
  /**
   * Parameters whose name in capability rows differs from their name in the API. For example, `text.format` is
   * `response_format` in Chat Completions.
   */
  readonly renamed?: ReadonlyMap<string, string>;
  /**
   * Names of body fields that the encoder writes itself. Nothing is known about the parameters of the server. So if
   * `reserved` is set, a parameter with any other name becomes a field of the body.
   */
  readonly reserved?: ReadonlySet<string>;
  /**
   * True if the service has other APIs that accept other parameters. An error message then adds "here" to the name of
   * the parameter.
   */
  readonly isOneOfSeveral?: boolean;
}

/**
 * Returns the canonical JSON of the model and the render parameters. This text is the head of the prefix sequence,
 * before all blocks.
 */
export function frozenParameters(front: Front): string {
  return canonicalText({ ...front.parameters, model: front.model });
}

/**
 * Returns the render parameters as fields of the body.
 *
 * @throws ProviderError `provider/unsupported` for a parameter that has no field in the API, and for one with the name
 *   of a reserved field.
 */
export function wireParameters(
  service: Service,
  front: Front,
  { fields, inside, renamed, reserved, isOneOfSeveral = false }: ParameterNames,
): BodyFields {
  const entries = Object.entries(front.parameters).map(([name, value]) => [renamed?.get(name) ?? name, value] as const);
  const parameters = new Map(entries);
  const isField = (name: string): boolean => fields.has(name) || (reserved !== undefined && !reserved.has(name));
  const unknown = [...parameters.keys()].find((name) => !isField(name) && !inside.has(name));
  if (unknown !== undefined)
    throw unknownName(service, `"${unknown}"${isOneOfSeveral ? ' here' : ''}`, [...fields, ...inside.keys()]);
  const wire = new Map([...parameters].filter(([name]) => isField(name)));
  for (const [name, [field, member, otherwise]] of inside) {
    const value = parameters.get(name);
    if (value !== undefined) wire.set(field, { ...(recordOf(wire.get(field)) ?? otherwise), [member]: value });
  }
  return Object.fromEntries(wire);
}

/** Returns the beginning of a body: `{"model":…,` and these fields in ascending order of their names. */
export function bodyHeader(model: string, fields: BodyFields): string {
  const text = canonicalText(fields).slice(1, -1);
  return `{"model":${canonicalText(model)},${text === '' ? '' : `${text},`}`;
}

/**
 * Returns the end of a body: `varying`, then the fields of the envelope in ascending order of their names, and the
 * closing brace.
 *
 * @throws ProviderError `provider/invalid` for a field that the body already contains.
 */
export function bodyEnd(service: Service, taken: ReadonlySet<string>, varying: BodyFields, envelope: Envelope): string {
  const twice = Object.keys(envelope.fields).find((name) => taken.has(name) || Object.hasOwn(varying, name));
  if (twice !== undefined) {
    throw refuse(
      service,
      'provider/invalid',
      `the field "${twice}" is already in the body: remove it from the envelope`,
    );
  }
  const parts = [varying, envelope.fields].map((fields) => canonicalText(fields).slice(1, -1));
  return `${parts.map((text) => (text === '' ? '' : `,${text}`)).join('')}}`;
}

function recordOf(value: JsonValue | undefined): BodyFields | undefined {
  return isRecord(value) ? value : undefined;
}

function isRecord(value: JsonValue | undefined): value is BodyFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownName(service: Service, name: string, known: readonly string[]): Error {
  const list = known.toSorted().join(', ');
  return refuse(
    service,
    'provider/unsupported',
    `${service.title} has no render parameter ${name}: use one of ${list}`,
  );
}
