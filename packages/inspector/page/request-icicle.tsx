// Icicle of a request to scale: its cached parts, its layers and turns, its messages, and its blocks. The list of blocks
// shows the same as text, so the drawing needs no keys of its own.

import type { BlockGroup, ContentKind, ShownBlock, ShownRequest } from './request-data.ts';
import { contentKind, grouped, groupsOf, inputParts } from './request-data.ts';

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly kind: string;
  /** First block of the piece. */
  readonly block?: number;
  readonly selected?: boolean;
}

const ROW = 26;
/** Narrowest piece, as a part of the width. Narrower ones are drawn together. */
const NARROWEST = 0.0015;

/** Draws a request. A click selects a block. */
export function RequestIcicle({
  request,
  selected,
  onSelect,
}: {
  readonly request: ShownRequest;
  readonly selected: number;
  readonly onSelect: (block: number) => void;
}) {
  const { blocks } = request;
  const unknown = unknownTokens(request);
  const ends = runningEnds(blocks, unknown);
  const whole = ends.at(-1) ?? 0;
  if (whole === 0) return <p class="soft">This request has no blocks.</p>;
  const rows = [
    partPieces(request),
    [...unknownPieces(unknown / whole), ...groupsOf(blocks).map((group) => groupPiece(group, ends, unknown))],
    joinNarrow(blocks, { ends, unknown }, messageName, (a, b) => a.group === b.group && a.role === b.role),
    joinNarrow(blocks, { ends, unknown }, blockName, () => false),
  ];
  const label = `Request to scale: ${grouped(whole)} estimated tokens in ${blocks.length} blocks`;
  const at = blocks[selected] === undefined ? undefined : (ends[selected] ?? 0) / whole;
  return (
    <svg class="icicle" role="img" aria-label={label} height={ROW * rows.length + 12}>
      <Patterns />
      {rows.map((pieces, row) =>
        pieces.map((piece, index) => <PieceView key={`${row} ${index}`} piece={piece} row={row} onSelect={onSelect} />),
      )}
      {request.markers.map(({ block, ttl }) => (
        <text key={block} class="marker" x={percent((ends[block] ?? 0) / whole)} y={ROW * rows.length + 10}>
          ▲<title>{`cache marker after block ${block}, ${ttl}`}</title>
        </text>
      ))}
      {at !== undefined && (
        <line class="selected-line" x1={percent(at)} x2={percent(at)} y1={0} y2={ROW * rows.length} />
      )}
    </svg>
  );
}

function PieceView({
  piece: { start, end, name, kind, block },
  row,
  onSelect,
}: {
  readonly piece: Piece;
  readonly row: number;
  readonly onSelect: (block: number) => void;
}) {
  return (
    <svg
      class={block === undefined ? 'piece' : 'piece choice'}
      x={percent(start)}
      y={row * ROW}
      width={percent(end - start)}
      height={ROW - 2}
      onClick={() => block !== undefined && onSelect(block)}
    >
      <title>{name}</title>
      <rect class={`fill ${kind}`} width="100%" height="100%" />
      <rect class="pattern" width="100%" height="100%" fill={`url(#pattern-${kind})`} />
      {end - start > 0.03 && (
        <text x="4" y={ROW / 2 + 3}>
          {shortened(name, end - start)}
        </text>
      )}
    </svg>
  );
}

/** Width of a drawing on a wide screen, and of a character, in pixels. */
const [WIDEST, CHARACTER] = [1_250, 6.5];

/** Returns the beginning of a name that fits into a part of the width. */
function shortened(name: string, part: number): string {
  const room = Math.floor((part * WIDEST - 8) / CHARACTER);
  return name.length <= room ? name : `${name.slice(0, room - 1).trimEnd()}…`;
}

/** Patterns, so that no kind is shown by its colour alone. */
const LINES: Readonly<Record<ContentKind | 'read' | 'written' | 'fresh', string>> = {
  tools: 'M0 4h8',
  system: 'M0 8L8 0',
  user: '',
  answer: 'M4 0v8',
  thinking: 'M0 0L8 8M8 0L0 8',
  call: 'M0 0L8 8',
  result: 'M0 4h8M4 0v8',
  other: 'M0 2h8M0 6h8',
  read: '',
  written: 'M0 8L8 0',
  fresh: 'M0 0L8 8M8 0L0 8',
};

function Patterns() {
  return (
    <defs>
      {Object.entries(LINES).map(([kind, path]) => (
        <pattern key={kind} id={`pattern-${kind}`} width="8" height="8" patternUnits="userSpaceOnUse">
          {path !== '' && <path class="pattern-line" d={path} />}
        </pattern>
      ))}
    </defs>
  );
}

/** Returns the counted tokens of an imported request that its blocks do not explain: its front is unknown. */
function unknownTokens(request: ShownRequest): number {
  if (request.source !== 'imported') return 0;
  const counted = inputParts(request).reduce((sum, { tokens }) => sum + tokens, 0);
  return Math.max(0, counted - request.blocks.reduce((sum, { tokens }) => sum + tokens, 0));
}

function unknownPieces(part: number): readonly Piece[] {
  return part === 0
    ? []
    : [{ start: 0, end: part, name: 'Not in the recording: tools and system text', kind: 'other' }];
}

function runningEnds(blocks: readonly ShownBlock[], unknown: number): readonly number[] {
  let sum = unknown;
  // A block without an estimate is drawn too.
  return blocks.map(({ tokens }) => (sum += Math.max(1, tokens)));
}

function partPieces(request: ShownRequest): readonly Piece[] {
  const parts = inputParts(request);
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const how = request.actual === undefined ? 'forecast' : 'counted';
  let start = 0;
  return parts.map(({ name, tokens }) => {
    const end = start + tokens / all;
    const piece = { start, end, name: `${name} ${grouped(tokens)} (${how})`, kind: name };
    start = end;
    return piece;
  });
}

function groupPiece({ title, kind, start, end, tokens }: BlockGroup, ends: readonly number[], unknown: number): Piece {
  const whole = ends.at(-1) ?? 1;
  const from = (ends[start - 1] ?? unknown) / whole;
  const name = `${title} · ${grouped(tokens)} tokens`;
  return { start: from, end: (ends[end - 1] ?? 0) / whole, name, kind, block: start };
}

function messageName({ layer, role, kind }: ShownBlock): string {
  return layer ?? `${role}${kind === undefined ? '' : ` · ${kind}`}`;
}

function blockName({ holds, layer, begins }: ShownBlock): string {
  return `${layer ?? holds}: ${begins}`;
}

/** Returns one piece for each run of blocks that belong together or are too narrow to be seen alone. */
function joinNarrow(
  blocks: readonly ShownBlock[],
  { ends, unknown }: { readonly ends: readonly number[]; readonly unknown: number },
  nameOf: (block: ShownBlock) => string,
  belong: (one: ShownBlock, other: ShownBlock) => boolean,
): readonly Piece[] {
  const whole = ends.at(-1) ?? 1;
  const pieces: Piece[] = [];
  for (const [index, block] of blocks.entries()) {
    const start = (ends[index - 1] ?? unknown) / whole;
    const end = (ends[index] ?? 0) / whole;
    const [last, before] = [pieces.at(-1), blocks[index - 1]];
    const narrow = last !== undefined && last.end - last.start < NARROWEST;
    const joins = before !== undefined && (narrow || (before.section === block.section && belong(before, block)));
    if (last !== undefined && joins) pieces[pieces.length - 1] = { ...last, end };
    else pieces.push({ start, end, name: nameOf(block), kind: contentKind(block), block: index });
  }
  return pieces;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(3)}%`;
}
