// What the next request is to be made with: the front composed from the runtime's tools and role, padded beside that, and
// the catalog row kept where the log can name it. Composed again only when the runtime is another, or what is installed.

import type { Artifacts } from '@tidemark/log';
import { digest } from '@tidemark/log';
import type { Preload, Wanted } from '@tidemark/context';
import { composeFront, knownParameters, padFront } from '@tidemark/context';
import { keepCapabilities, loadFront } from '../session/materials.ts';
import { newHash } from '../session/node-hash.ts';
import type { Runtime } from './runtime.ts';

/** Gives what is wanted for a runtime. */
export type WantedFor = (runtime: Runtime) => Promise<Wanted>;

/** What is installed, as a front can hold it. */
interface Installed {
  readonly index: string | undefined;
  readonly preloads: readonly Preload[];
}

/** See the head of this file. */
export function createWantedFor(artifacts: Artifacts): WantedFor {
  let kept: { readonly runtime: Runtime; readonly installed: Installed; readonly wanted: Wanted } | undefined;
  return async (runtime) => {
    const { index, preloads = [] } = runtime.skills ?? {};
    const installed = { index, preloads };
    if (kept?.runtime !== runtime || !isSame(kept.installed, installed))
      kept = { runtime, installed, wanted: await compose(artifacts, runtime, installed) };
    return kept.wanted;
  };
}

function isSame(a: Installed, b: Installed): boolean {
  const { preloads } = b;
  return (
    a.index === b.index &&
    a.preloads.length === preloads.length &&
    a.preloads.every(({ name, body }, at) => name === preloads[at]?.name && body === preloads[at].body)
  );
}

async function compose(artifacts: Artifacts, runtime: Runtime, { index, preloads }: Installed): Promise<Wanted> {
  const { provider, capabilities, parameters, role, tools, takeTools, padding = 'auto', neighbours = 0 } = runtime;
  const specs = tools.map(({ name, description, schema }) => ({ name, description, schema }));
  const said = {
    ...(role === undefined ? {} : { role }),
    ...(index === undefined ? {} : { skills: index }),
    runtime: runtime.runtime ?? 'full',
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
    // A skill that was installed meanwhile is no reason to pay for the whole front again: a note tells of it.
    takeSkills: 'next-epoch',
    ...(index === undefined ? {} : { skills: digest(newHash().update(index).hex()) }),
    ...(takeTools === undefined ? {} : { takeTools }),
  };
}
