// Pieces of a history for tests.

import type { Piece } from './pieces.ts';
import { piecesOf } from './pieces.ts';

let groups = 0;

/** Makes a piece of prose. */
export function words(text: string): Piece {
  groups += 1;
  return { from: 'words', text, position: groups, group: groups };
}

/** Makes a piece of a call's input, built from its raw arguments. */
export function input(name: string, args: object): Piece {
  groups += 1;
  const origin = { from: 'event', session: 's', position: groups } as const;
  const part = { type: 'call', call: 'c', name, arguments: JSON.stringify(args) } as const;
  const span = {
    role: 'assistant',
    stability: 'session',
    origin,
    ordinal: 0,
    group: groups,
    opensTurn: false,
  } as const;
  const [piece] = piecesOf([{ ...span, parts: [part] }]);
  if (piece === undefined) throw new Error('a call has no piece');
  return piece;
}

/** Makes a piece of a call's result. */
export function result(tool: string, text: string, path?: string): Piece {
  groups += 1;
  return { from: 'result', text, position: groups, group: groups, tool, ...(path === undefined ? {} : { path }) };
}
