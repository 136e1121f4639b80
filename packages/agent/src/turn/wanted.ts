// What the next request is to be made with: the front composed from the runtime's tools and role, padded beside that, and
// the catalog row kept where the log can name it. Composed again only when the runtime is another, or the bodies that it may hold.

import type { Artifacts } from '@tidemark/log';
import type { Preload, RequestSpec } from '@tidemark/context';
import { composeFront, knownParameters, padFront } from '@tidemark/context';
import { keepCapabilities, loadFront } from '../session/materials.ts';
import { newHash } from '../session/node-hash.ts';
import type { Runtime } from './runtime.ts';

/** Gives what is wanted for a runtime. */
export type WantedFor = (runtime: Runtime) => Promise<RequestSpec>;

/** See the head of this file. */
export function createWantedFor(artifacts: Artifacts): WantedFor {
  let kept:
    | { readonly runtime: Runtime; readonly preloads: readonly Preload[]; readonly wanted: RequestSpec }
    | undefined;
  return async (runtime) => {
    const { preloads = [] } = runtime.skills ?? {};
    if (kept?.runtime !== runtime || !isSame(kept.preloads, preloads))
      kept = { runtime, preloads, wanted: await compose(artifacts, runtime, preloads) };
    return kept.wanted;
  };
}

function isSame(a: readonly Preload[], b: readonly Preload[]): boolean {
  return a.length === b.length && a.every(({ name, body }, at) => name === b[at]?.name && body === b[at].body);
}

async function compose(artifacts: Artifacts, runtime: Runtime, preloads: readonly Preload[]): Promise<RequestSpec> {
  const { provider, capabilities, parameters, role, tools, takeTools, padding = 'auto', neighbours = 0 } = runtime;
  const specs = tools.map(({ name, description, schema }) => ({ name, description, schema }));
  const said = {
    ...(role === undefined ? {} : { role }),
    runtime: runtime.promptVerbosity ?? 'full',
  } as const;
  const texts = composeFront({ tools: specs, ...said }, newHash);
  const { inherits } = runtime;
  const padded = padFront(texts, { floor: capabilities.floor, preloads }, newHash);
  return {
    provider: provider.name,
    model: capabilities.model,
    // What the row does not know would not reach the wire: a change of it is none.
    parameters: knownParameters(parameters, capabilities),
    capabilities: await keepCapabilities(artifacts, capabilities),
    texts,
    padding: { setting: padding, padded, others: neighbours },
    ...(inherits && { inherited: { ...inherits, texts: await loadFront(artifacts, inherits.opened) } }),
    ...(takeTools === undefined ? {} : { takeTools }),
  };
}
