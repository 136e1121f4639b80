// Formats the blocks of a request as rows, each with its content type, origin, size and first words (L4).

import type { Block } from '@tidemark/model';
import { originName } from './explanation.ts';
import { formatNumber } from '../frame/numbers.ts';
import type { TableOf } from '../frame/table.ts';

/** One block, in the form that the text output and `--json` show. */
export interface SpanRow {
  readonly block: number;
  readonly section: string;
  readonly role: string;
  readonly holds: string;
  readonly origin: Block['origin'];
  readonly bytes: number;
  readonly tokens: number;
  readonly marker: string | null;
  readonly begins: string;
}

/** Returns the row of a block. `ttl` is the lifetime that its marker requests. */
export function spanOf(block: Block, index: number, ttl: string | undefined): SpanRow {
  const { section, role, holds, origin, tokens } = block;
  const bytes = Buffer.byteLength(block.head) + Buffer.byteLength(block.tail);
  return { block: index, section, role, holds, origin, bytes, tokens, marker: ttl ?? null, begins: beginning(block) };
}

const BEGINNING = 48;

/**
 * Returns the first words of a block, so that people can recognize the block. For an image, returns its type and size.
 */
export function beginning(block: Block): string {
  if (block.holds === 'image') return pictureOf(block);
  const texts = [...block.head.matchAll(/"(?:text|thinking|input|name|content)":("(?:[^"\\]|\\.)*|\{)/g)];
  const [first] = texts.map((match) => match[1] ?? '');
  return (first ?? '')
    .replace(/^"/, '')
    .replaceAll(/\\[nrt]/g, ' ')
    .slice(0, BEGINNING);
}

function pictureOf({ head, mediaBytes }: Block): string {
  const [kind = 'image'] = /image\/[a-z]+/.exec(head) ?? [];
  return `${kind}, ${formatNumber(mediaBytes)} bytes`;
}

/** Returns the table of all rows for people. */
export function spanTable(spans: readonly SpanRow[]): TableOf {
  const rows = spans.map(({ block, section, role, holds, origin, bytes, tokens, marker, begins }) => [
    String(block),
    section,
    `${role} ${holds}`,
    originName(origin),
    formatNumber(bytes),
    formatNumber(tokens),
    marker === null ? '' : `▼ ${marker}`,
    begins,
  ]);
  return {
    head: ['block', 'section', 'span', 'origin', 'bytes', 'tokens', 'marker', 'text'],
    rows,
    numbers: [0, 4, 5],
  };
}
