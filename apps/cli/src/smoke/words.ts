// Builds the texts of a smoke test: a front slightly larger than the floor, three prompts, and three places at which
// the request can be changed. The texts contain the name of the run, so no run reads a cache entry of another run.

import { estimateTokens, TM3_RUNTIME } from '@tidemark/context';

/** Place in a request at which a change is made. The names are ordered from the start of the request to its end. */
export type RequestPlace = 'first-sentence' | 'front-end' | 'tail';

/** Texts that a smoke test sends to a model. */
export interface SmokeWords {
  /** The agent's own system text. It is the end of the front. */
  readonly role: string;
  readonly prompts: readonly [first: string, second: string, third: string];
  /** Text at each place, and the text that replaces it. */
  readonly changes: { readonly [place in RequestPlace]: readonly [was: string, is: string] };
  /** Estimated tokens of the front and the first prompt. */
  readonly tokens: number;
}

/**
 * Factor by which the front exceeds the floor. The estimate can be too high by a fifth. Even then, the cached prefix
 * must reach the floor.
 */
const ABOVE_FLOOR = 1.3;
/** Floor for a model whose floor is unknown, in tokens: the highest floor in the catalog. */
const HIGHEST_FLOOR = 4_096;

/**
 * Returns the texts for a model with this floor. `name` is the name of the run and contains only letters, digits and
 * hyphens.
 */
export function smokeWords(floor: number | undefined, name: string): SmokeWords {
  const role = roleOf(name, ABOVE_FLOOR * (floor ?? HIGHEST_FLOOR));
  const [first = ''] = TM3_RUNTIME.match(/^[^.]*\./) ?? [];
  const prompts = [promptOf('first', name), promptOf('second', name), promptOf('third', name)] as const;
  return {
    role,
    prompts,
    changes: {
      'first-sentence': [first, `${first} Be kind.`],
      'front-end': [endOf(name), endOf(`other-${name}`)],
      tail: [prompts[0], promptOf('changed', name)],
    },
    tokens: estimateTokens(`${TM3_RUNTIME}\n${role}\n${prompts[0]}`),
  };
}

function roleOf(name: string, least: number): string {
  const lines = [`This is the cache check ${name}. The rules of the shop are:`];
  let tokens = estimateTokens(`${TM3_RUNTIME}\n${lines[0]}`);
  for (let rule = 1; tokens < least; rule += 1) {
    const line = `Rule ${rule}: an order that was packed is not changed any more; what is missing goes out with the next one.`;
    lines.push(line);
    tokens += estimateTokens(line);
  }
  return [...lines, endOf(name)].join('\n');
}

function endOf(name: string): string {
  return `The rules end here, at the mark end-${name}.`;
}

function promptOf(which: string, name: string): string {
  return `Answer with the word ready. This is the ${which} prompt of ${name}.`;
}
