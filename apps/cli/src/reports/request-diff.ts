// Compares a request with the previous request. Finds blocks that were removed, added or moved, and render parameters
// that changed.

import type { Divergence, Sequence } from '@tidemark/context';
import { slice } from '@tidemark/context';
import type { Block } from '@tidemark/model';

import { formatNumber } from '../frame/numbers.ts';
import type { TableOf } from '../frame/table.ts';
import { originName } from './explanation.ts';
import { beginning, spanOf } from './request-spans.ts';

/** One block of one of the two requests. The rows begin at the first difference. */
export interface DiffRow {
  /** `-` for a removed block, `+` for an added block, `=` for a block with the same bytes in both requests. */
  readonly sign: '-' | '+' | '=';
  /**
   * Index of the block in the previous request. `is` is the index in this request. `undefined` if the request does not
   * contain the block.
   */
  readonly was: number | undefined;
  readonly is: number | undefined;
  readonly block: Block;
}

/** Render parameter with a changed value. `undefined` means that it is not set. */
export interface ParameterChange {
  readonly name: string;
  readonly was: string | undefined;
  readonly is: string | undefined;
}

/** Request to compare: its blocks, and its render parameters with the model. */
export interface ComparedRequest {
  readonly sequence: Sequence;
  readonly parameters: object;
}

/** Differences between two requests. */
export interface RequestDiff {
  readonly parameters: readonly ParameterChange[];
  readonly rows: readonly DiffRow[];
}

/**
 * Returns the changed parameters, and the rows of all blocks from the first different block to the end. If all earlier
 * blocks are equal, the rows are the blocks that the new request adds.
 */
export function diffRequests(
  before: ComparedRequest,
  after: ComparedRequest,
  divergence: Divergence | undefined,
): RequestDiff {
  const grown = before.sequence.blocks.length;
  const from = divergence === undefined || divergence.at === 'parameters' ? grown : divergence.at;
  const old = slice(before.sequence.blocks, from);
  const now = slice(after.sequence.blocks, from);
  return { parameters: parametersOf(before, after), rows: align(old, now, from) };
}

/** Matches each old block, in order, with the next equal block of the new request, if there is one. */
function align(old: readonly Block[], now: readonly Block[], from: number): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let next = 0;
  for (const [index, block] of old.entries()) {
    const found = now.findIndex((one, place) => place >= next && sameBytes(one, block));
    if (found === -1) rows.push({ sign: '-', was: from + index, is: undefined, block });
    else {
      rows.push(...addedRows(now, next, found, from), { sign: '=', was: from + index, is: from + found, block });
      next = found + 1;
    }
  }
  return [...rows, ...addedRows(now, next, now.length, from)];
}

function addedRows(now: readonly Block[], next: number, end: number, from: number): readonly DiffRow[] {
  return now.slice(next, end).map((block, index) => ({ sign: '+', was: undefined, is: from + next + index, block }));
}

function sameBytes(a: Block, b: Block): boolean {
  return a.section === b.section && a.role === b.role && a.head === b.head && a.tail === b.tail;
}

function parametersOf(before: ComparedRequest, after: ComparedRequest): readonly ParameterChange[] {
  const [old, now] = [before.parameters, after.parameters];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return names.flatMap((name) => {
    const [was, is] = [textOf(old, name), textOf(now, name)];
    return was === is ? [] : [{ name, was, is }];
  });
}

function textOf(parameters: object, name: string): string | undefined {
  const found = Object.entries(parameters).find(([own]) => own === name);
  return found === undefined ? undefined : JSON.stringify(found[1]);
}

/** Describes a changed parameter. */
export function parameterLine({ name, was, is }: ParameterChange): string {
  return `${name}: was ${was ?? 'not set'}, is now ${is ?? 'not set'}`;
}

/** Returns a row of the comparison for `--json`. */
export function diffValue({ sign, was, is, block }: DiffRow): object {
  return { sign, was: was ?? null, is: is ?? null, ...spanOf(block, is ?? was ?? 0, undefined) };
}

/**
 * Returns a table of old and new blocks. If the requests differ in their blocks, the first row is the first difference.
 */
export function diffTable(rows: readonly DiffRow[], parted: boolean): TableOf {
  return {
    head: ['', 'old', 'new', 'span', 'origin', 'tokens', 'text'],
    rows: rows.map(({ sign, was, is, block }, index) => [
      parted && index === 0 ? `► ${sign}` : `  ${sign}`,
      was === undefined ? '' : String(was),
      is === undefined ? '' : String(is),
      `${block.role} ${block.holds}`,
      originName(block.origin),
      formatNumber(block.tokens),
      beginning(block).slice(0, 24),
    ]),
    numbers: [1, 2, 5],
  };
}
