// What the next request is to be made with: the front composed from the runtime's tools and role, and the catalog row kept
// where the log can name it. Composed again only when the runtime is another.

import type { Artifacts } from '@tidemark/log';
import type { Wanted } from '@tidemark/context';
import { composeFront } from '@tidemark/context';
import { keepCapabilities } from '../session/materials.ts';
import { newHash } from '../session/node-hash.ts';
import type { Runtime } from './runtime.ts';

/** Gives what is wanted for a runtime. */
export type Wanting = (runtime: Runtime) => Promise<Wanted>;

/** See the head of this file. */
export function createWanting(artifacts: Artifacts): Wanting {
  let kept: { readonly runtime: Runtime; readonly wanted: Wanted } | undefined;
  return async (runtime) => {
    if (kept?.runtime === runtime) return kept.wanted;
    const { provider, capabilities, parameters, role, tools, takeTools } = runtime;
    const specs = tools.map(({ name, description, schema }) => ({ name, description, schema }));
    const wanted: Wanted = {
      provider: provider.name,
      model: capabilities.model,
      parameters,
      capabilities: await keepCapabilities(artifacts, capabilities),
      texts: composeFront({ tools: specs, ...(role === undefined ? {} : { role }) }, newHash),
      ...(takeTools === undefined ? {} : { takeTools }),
    };
    kept = { runtime, wanted };
    return wanted;
  };
}
