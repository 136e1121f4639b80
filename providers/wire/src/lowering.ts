// Lowers a front and spans to blocks, for any API: parts become pieces, pieces become blocks in the order that every API wants.
// Also writes the render parameters: they enter the cache key, so they are frozen and come before everything else in the body.

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

/** The fields of a block that depend on one part alone, before its message is known. */
export type BlockPiece = Pick<
  Block,
  'head' | 'tail' | 'markable' | 'run' | 'holds' | 'tokens' | 'mediaBytes' | 'betas'
>;

/** A piece without a slot for a marker: all of it is head. */
export function piece(head: string, holds: BlockPiece['holds'], tokens: number, mediaBytes = 0): BlockPiece {
  return { head, tail: '', markable: false, run: 'none', holds, tokens, mediaBytes };
}

/** A block of the front: outside every message. */
export function frontBlock(section: 'tools' | 'system', made: BlockPiece, origin: Block['origin']): Block {
  return { section, role: 'system', group: -1, ...made, opensTurn: false, origin };
}

/** The system texts of a front as `write` writes them; a text with a recorded count keeps it. None for blank text. */
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

/** A piece, with the index of its part in its span. */
type PlacedBlockPiece = BlockPiece & Pick<Block, 'part'>;

/** Lowers each part of a span. A part may become one piece, several or none. */
export function piecesOf(
  span: Span,
  lower: (part: Part) => BlockPiece | readonly BlockPiece[] | undefined,
): readonly PlacedBlockPiece[] {
  return span.parts.flatMap((one, part) => [lower(one) ?? []].flat().map((made) => ({ ...made, part })));
}

/** The blocks of the pieces of one span: reasoning that nothing follows is left out, and results come first. */
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

/** The role of a message: an operator's words have the role `operator` where the model takes them in the history, else `user`. */
export function wireRole(role: Role, lowering: Lowering, operator: Role): Role {
  if (role === 'user' || role === 'assistant') return role;
  return lowering.capabilities.appends.includes('system') ? operator : 'user';
}

/** Whether reasoning came from this service and from the model that is asked, by any of the model's names. */
export function isOwnReasoning({ name }: Service, part: BoundReasoningPart, lowering: Lowering): boolean {
  if (part.provider !== name) return false;
  if (part.model === lowering.model) return true;
  const names = [lowering.capabilities.model, ...lowering.capabilities.aliases];
  return names.includes(part.model) && names.includes(lowering.model);
}

/** Fields of a body by name. */
export type BodyFields = { readonly [name: string]: JsonValue | undefined };

/** The render parameters that an API knows. */
export interface ParameterNames {
  /** Those that are fields of the body. */
  readonly fields: ReadonlySet<string>;
  /**
   * Those that are members of a field, by their name in the capability row: `reasoning.effort`. `otherwise` is the field where it
   * is not given itself.
   */
  readonly inside: ReadonlyMap<string, readonly [field: string, member: string, otherwise?: BodyFields]>;
  /** Those that capability rows name otherwise: `text.format` is `response_format` in Chat Completions. */
  readonly renamed?: ReadonlyMap<string, string>;
  /** Whether the service has other APIs, which take other parameters. An error then names this one by "here". */
  readonly isOneOfSeveral?: boolean;
}

/** Canonical JSON of model and render parameters: the head of the prefix sequence. */
export function frozenParameters(front: Front): string {
  return canonicalText({ ...front.parameters, model: front.model });
}

/**
 * Render parameters as fields of the body.
 *
 * @throws ProviderError `provider/unsupported` for a name that the API has no field for.
 */
export function wireParameters(
  service: Service,
  front: Front,
  { fields, inside, renamed, isOneOfSeveral = false }: ParameterNames,
): BodyFields {
  const entries = Object.entries(front.parameters).map(([name, value]) => [renamed?.get(name) ?? name, value] as const);
  const parameters = new Map(entries);
  const unknown = [...parameters.keys()].find((name) => !fields.has(name) && !inside.has(name));
  if (unknown !== undefined)
    throw unknownName(service, `"${unknown}"${isOneOfSeveral ? ' here' : ''}`, [...fields, ...inside.keys()]);
  const wire = new Map([...parameters].filter(([name]) => fields.has(name)));
  for (const [name, [field, member, otherwise]] of inside) {
    const value = parameters.get(name);
    if (value !== undefined) wire.set(field, { ...(recordOf(wire.get(field)) ?? otherwise), [member]: value });
  }
  return Object.fromEntries(wire);
}

/** `{"model":…,` and these fields by ascending name: the beginning of a body. */
export function bodyHeader(model: string, fields: BodyFields): string {
  const text = canonicalText(fields).slice(1, -1);
  return `{"model":${canonicalText(model)},${text === '' ? '' : `${text},`}`;
}

/**
 * The end of a body: `varying`, then the envelope's fields by ascending name, and the closing brace.
 *
 * @throws ProviderError `provider/invalid` for a field that already stands in the body.
 */
export function bodyEnd(service: Service, taken: ReadonlySet<string>, varying: BodyFields, envelope: Envelope): string {
  const twice = Object.keys(envelope.fields).find((name) => taken.has(name) || Object.hasOwn(varying, name));
  if (twice !== undefined) {
    throw refuse(
      service,
      'provider/invalid',
      `the field "${twice}" already stands in the body: leave it out of the envelope`,
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
