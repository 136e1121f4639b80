// The padding layer: whole sections of the operating guide in their fixed order until the front is just above the floor,
// then whole preloaded skills by name as far as the cap allows. The same bytes for the same input, in any process.

import type { NewHash } from '@tidemark/model';
import { GUIDE } from './contract/guide.ts';
import { TM1 } from './contract/tm1.ts';
import { estimateTokens } from '../base/estimate.ts';
import type { FrontTexts } from './front.ts';
import { layer, sizeOfTools } from './front.ts';

/** A skill of the user's own, outside of the workspace, that is marked for preloading. */
export interface Preload {
  readonly name: string;
  /** Goes out whole or not at all: what is cut cannot be reached. */
  readonly body: string;
}

/** What a front is padded to. */
export interface PadOptions {
  /** The model's floor in tokens; absent is unknown. */
  readonly floor: number | undefined;
  readonly preloads: readonly Preload[];
  /** How far off estimates have been, as a share (`ratio.ts`); a tenth where nothing was learnt yet. */
  readonly error?: number;
}

/** The name of the layer. */
export const PADDING = 'padding';

/** Where the floor is unknown: a tenth above the highest known one, and a third. */
export const UNKNOWN_FLOOR = { target: 4_500, cap: 5_500 } as const;

/** Before anything was learnt. A padded front must really come above the floor, or all of the padding is lost. */
const FIRST_ERROR = 0.1;

/** Sections vary in size: the cap leaves room for one of them above the floor. */
const CAP = 4 / 3;
const LEAST_ROOM = 300;

/** Tokens of tools and system text, as they are estimated before a provider has counted them. */
export function frontTokens(front: FrontTexts): number {
  return front.layers.reduce((sum, { record }) => sum + record.tokens, sizeOfTools(front).tokens);
}

/** The front with its padding layer. `undefined` where it needs none, and where no whole sections bring it above the floor below the cap. */
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
  // The estimate of each part was rounded up by less than a token.
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
  return { target, cap: Math.max(Math.floor(floor * CAP), target + LEAST_ROOM) };
}
