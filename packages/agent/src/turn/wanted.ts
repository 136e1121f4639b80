// What the next request is to be made with: the front composed from the runtime's tools and role, padded beside that, and
// the catalog row kept where the log can name it. Composed again only when the runtime is another.

import type { Artifacts } from '@tidemark/log';
import type { Wanted } from '@tidemark/context';
import { composeFront, knownParameters, padFront } from '@tidemark/context';
import { keepCapabilities } from '../session/materials.ts';
import { newHash } from '../session/node-hash.ts';
import type { Runtime } from './runtime.ts';

/** Gives what is wanted for a runtime. */
export type WantedFor = (runtime: Runtime) => Promise<Wanted>;

/** See the head of this file. */
export function createWantedFor(artifacts: Artifacts): WantedFor {
  let kept: { readonly runtime: Runtime; readonly wanted: Wanted } | undefined;
  return async (runtime) => {
    if (kept?.runtime !== runtime) kept = { runtime, wanted: await compose(artifacts, runtime) };
    return kept.wanted;
  };
}

async function compose(artifacts: Artifacts, runtime: Runtime): Promise<Wanted> {
  const { provider, capabilities, parameters, role, tools, takeTools, padding = 'auto', neighbours = 0 } = runtime;
  const specs = tools.map(({ name, description, schema }) => ({ name, description, schema }));
  const said = { ...(role === undefined ? {} : { role }), runtime: runtime.runtime ?? 'full' } as const;
  const texts = composeFront({ tools: specs, ...said }, newHash);
  const padded = padFront(texts, { floor: capabilities.floor, preloads: [] }, newHash);
  return {
    provider: provider.name,
    model: capabilities.model,
    // What the row does not know would not reach the wire: a change of it is none.
    parameters: knownParameters(parameters, capabilities),
    capabilities: await keepCapabilities(artifacts, capabilities),
    texts,
    padding: { setting: padding, padded, others: neighbours },
    ...(takeTools === undefined ? {} : { takeTools }),
  };
}
