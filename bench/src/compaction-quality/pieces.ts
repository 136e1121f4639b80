// Splits a history into pieces of text: prose, tool inputs and tool results. Every strategy is measured on pieces, so
// that all are counted and searched in the same way.

import { estimateTokens } from '@tidemark/context';
import type { Part, Span } from '@tidemark/model';

/**
 * One part of a message as text. Reasoning and images are not pieces, because no compaction is certain to keep them.
 */
export interface Piece {
  /**
   * Kind of text. `words`: prose of the user, the model or the runtime, checkpoints included. `input`: arguments of a
   * call. `result`: result of a call.
   */
  readonly from: 'words' | 'input' | 'result';
  readonly text: string;
  /** Position of the record that contains the piece. */
  readonly position: number;
  /** Group of the piece. The pieces of one group are one message, or one batch of calls with their results. */
  readonly group: number;
  /** Name of the tool, for an input and a result. */
  readonly tool?: string;
  /** File that the call names in an argument, for an input and a result. */
  readonly path?: string;
}

/** Names of tool arguments that contain the path of a file. */
const PATHS: readonly string[] = ['file_path', 'filePath', 'notebook_path', 'path'];

/**
 * Returns the pieces of some spans, in order. `workspace` is removed from the start of paths, so that a file has only
 * one name.
 */
export function piecesOf(spans: readonly Span[], workspace = ''): readonly Piece[] {
  const calls = new Map<string, Pick<Piece, 'tool' | 'path'>>();
  const short = (text: string): string => (workspace === '' ? text : text.replaceAll(`${workspace}/`, ''));
  return spans.flatMap(({ parts, origin, group }) => {
    const position = origin.from === 'event' ? origin.position : group;
    return parts.flatMap((part) => {
      const piece = pieceOf(part, calls, short);
      return piece === undefined ? [] : [{ ...piece, position, group }];
    });
  });
}

/** Returns the estimated tokens of some pieces, by the project's own estimate. */
export function tokensOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + estimateTokens(text), 0);
}

type Calls = Map<string, Pick<Piece, 'tool' | 'path'>>;

function pieceOf(
  part: Part,
  calls: Calls,
  short: (text: string) => string,
): Omit<Piece, 'position' | 'group'> | undefined {
  switch (part.type) {
    case 'text':
      return { from: 'words', text: short(part.text) };
    case 'call': {
      const leaves = leavesOf(part.arguments);
      const path = leaves.find(({ name }) => PATHS.includes(name))?.value;
      const call = { tool: part.name, ...(path === undefined ? {} : { path: short(path) }) };
      calls.set(part.call, call);
      return { from: 'input', text: short(inputText(part.name, leaves)), ...call };
    }
    case 'result': {
      const texts = part.content.flatMap((one) => (one.type === 'text' ? [one.text] : []));
      return { from: 'result', text: short(texts.join('\n')), ...calls.get(part.call) };
    }
    case 'image':
    case 'reasoning':
    case 'native':
    case 'change':
      return undefined;
  }
}

interface Leaf {
  readonly name: string;
  readonly value: string;
}

/**
 * Returns the texts in raw arguments with their names, or the raw text if it is not JSON. Numbers are omitted, because
 * they are offsets and limits.
 */
function leavesOf(raw: string): readonly Leaf[] {
  try {
    return leavesIn('', JSON.parse(raw));
  } catch {
    return [{ name: '', value: raw }];
  }
}

function leavesIn(name: string, value: unknown): readonly Leaf[] {
  if (typeof value === 'string') return [{ name, value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => leavesIn(Array.isArray(value) ? name : key, one));
}

/**
 * Joins the arguments with one line each, for example `edit path: src/a.ts`. An argument whose text has several lines
 * takes several lines.
 */
function inputText(tool: string, leaves: readonly Leaf[]): string {
  return leaves.map(({ name, value }) => `${tool} ${name}: ${value}`).join('\n');
}
