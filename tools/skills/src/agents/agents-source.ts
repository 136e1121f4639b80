// The context source `agents`: its note lists the own agents of the user. The texts come from files, so they are in a
// note with the user's role and never in the definition of a tool. A new file therefore does not break the prefix.

import { createHash } from 'node:crypto';
import type { ContextSource } from '@tidemark/agent';
import type { InstalledAgents } from './agent-shelf.ts';

/** Maximum number of bytes of the note that are inline. The longest list and its heading are smaller than this. */
const INLINE = 8_192;

/** Creates the context source for the own agents of a shelf. A changed note contains the whole list. */
export function agentsSource(shelf: InstalledAgents): ContextSource {
  return {
    name: 'agents',
    inlineBytes: INLINE,
    async revision() {
      await shelf.look();
      const { list } = shelf;
      return list === undefined ? undefined : createHash('sha256').update(list).digest('hex').slice(0, 12);
    },
    render(_view, cause) {
      const { list = '' } = shelf;
      return cause === 'changed' ? `This list replaces the earlier list.\n${list}` : list;
    },
    affectedBy: ({ effect }) => effect === 'write' || effect === 'execute',
  };
}
