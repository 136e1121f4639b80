// Binds rules that allow tools of an MCP server to the definition of the server. A folder can bring a server with the
// name of one of the user's servers. The user's rules that allow were written for the user's own server.

import { canonicalText } from '@tidemark/log';

import { serversIn } from './server-settings.ts';
import { isAllowRule } from './settings.ts';

/** A setting of one source. */
interface NamedValue {
  readonly name: string;
  readonly value: unknown;
}

/** Settings of the sources that can name servers. The environment has precedence over the folder. */
interface ServerLayers {
  readonly environment: readonly NamedValue[];
  readonly folder: readonly NamedValue[];
  readonly own: readonly NamedValue[];
}

/** Returns the names of the user's servers that the folder replaces by servers with other definitions. Pure. */
export function replacedServers({ environment, folder, own: user }: ServerLayers): readonly string[] {
  const [first, theirs, mine] = [serversOf(environment), serversOf(folder), serversOf(user)];
  const definitions = new Map(Object.entries(mine));
  return Object.entries(theirs).flatMap(([name, server]) => {
    const own = definitions.get(name);
    const isUsed = own !== undefined && !Object.hasOwn(first, name);
    return isUsed && canonicalText(own) !== canonicalText(server) ? [name] : [];
  });
}

/**
 * Returns the settings without the rules that allow tools of these servers. Rules that ask or deny stay, because they
 * only narrow. Pure.
 */
export function withoutAllowRules<Leaf extends NamedValue>(
  leaves: readonly Leaf[],
  servers: readonly string[],
): readonly Leaf[] {
  const isOfThem = (rule: unknown): boolean => servers.some((name) => isAllowRule(rule, `${name}__`));
  return leaves.map((leaf) =>
    leaf.name === 'permissions.rules' && Array.isArray(leaf.value)
      ? { ...leaf, value: leaf.value.filter((rule: unknown) => !isOfThem(rule)) }
      : leaf,
  );
}

function serversOf(leaves: readonly NamedValue[]): ReturnType<typeof serversIn> {
  return serversIn({ mcp: { servers: leaves.find(({ name }) => name === 'mcp.servers')?.value } });
}
