// What a smoke says to a model: a front just above the floor, two prompts, and the three places at which the same request
// can be changed. The name of the run stands in it, so that no run reads what another one wrote.

import { estimateTokens, TM1_RUNTIME } from '@tidemark/context';

/** A place of a request, from its beginning to its end. */
export type RequestPlace = 'first-sentence' | 'front-end' | 'tail';

/** The texts that a smoke sends to a model. */
export interface SmokeWords {
  /** The agent's own system text: it ends the front. */
  readonly role: string;
  readonly prompts: readonly [first: string, second: string, third: string];
  /** What stands at each place, and what takes its stead. */
  readonly changes: { readonly [place in RequestPlace]: readonly [was: string, is: string] };
  /** Estimated tokens of front and first prompt. */
  readonly tokens: number;
}

/** The estimate may be too high by a fifth: behind the marker there must still be enough. */
const ABOVE_FLOOR = 1.3;
/** Of a model whose floor is unknown: the highest that any row has. */
const HIGHEST_FLOOR = 4_096;

/** Words for a model with this floor. `name` is letters, digits and hyphens. */
export function smokeWords(floor: number | undefined, name: string): SmokeWords {
  const role = roleOf(name, ABOVE_FLOOR * (floor ?? HIGHEST_FLOOR));
  const [first = ''] = TM1_RUNTIME.match(/^[^.]*\./) ?? [];
  const prompts = [promptOf('first', name), promptOf('second', name), promptOf('third', name)] as const;
  return {
    role,
    prompts,
    changes: {
      'first-sentence': [first, `${first} Be kind.`],
      'front-end': [endOf(name), endOf(`other-${name}`)],
      tail: [prompts[0], promptOf('changed', name)],
    },
    tokens: estimateTokens(`${TM1_RUNTIME}\n${role}\n${prompts[0]}`),
  };
}

function roleOf(name: string, least: number): string {
  const lines = [`This is the cache check ${name}. The rules of the shop are:`];
  let tokens = estimateTokens(`${TM1_RUNTIME}\n${lines[0]}`);
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
