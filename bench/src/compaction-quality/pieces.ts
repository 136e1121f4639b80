// A history as pieces of text: what was said, what the model gave to its tools, and what the tools returned. Every strategy
// is measured on pieces, so that all of them are counted and searched in the same way.

import { estimateTokens } from '@tidemark/context';
import type { Part, Span } from '@tidemark/model';

/** One part of a message as text. Reasoning and images are no pieces: a compaction keeps neither for sure. */
export interface Piece {
  /** `words`: prose of the user, the model or the runtime, a checkpoint included. `input`: the arguments of a call. */
  readonly from: 'words' | 'input' | 'result';
  readonly text: string;
  /** Position of the record that it comes from. */
  readonly position: number;
  /** Pieces of one group are one message, or one batch of calls with its results. */
  readonly group: number;
  /** Name of the tool, for an input and a result. */
  readonly tool?: string;
  /** The file that the call names as an argument, for an input and a result. */
  readonly path?: string;
}

/** Names under which tools take the path of a file. */
const PATHS: readonly string[] = ['file_path', 'filePath', 'notebook_path', 'path'];

/** Returns the pieces of some spans, in order. `workspace` is cut from the front of paths, so that one file has one name. */
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

/** Returns the tokens of some pieces, by the project's own estimate. */
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

/** The texts in raw arguments, each by its name; the raw text where it is no JSON. Numbers are offsets and limits: no text. */
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

/** One line for each argument, and more where its text has more: `edit path: src/a.ts`. */
function inputText(tool: string, leaves: readonly Leaf[]): string {
  return leaves.map(({ name, value }) => `${tool} ${name}: ${value}`).join('\n');
}
