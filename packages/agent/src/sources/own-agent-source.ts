// The context source `own-agent`: the role of a session whose own agent is in a file of the workspace. The system text
// contains no text of a workspace, so this role is a note with the role of the user.

import type { ContextSource } from '../ports/context-source.ts';

/** Maximum number of bytes of the note that are inline. The largest agent file is smaller than this. */
const INLINE = 32_768;

/** Creates the source. Without such an agent it has no note. */
export function ownAgentSource(): ContextSource {
  return {
    name: 'own-agent',
    inlineBytes: INLINE,
    revision: ({ agent }) => (agent?.as === 'note' ? `${agent.name} ${agent.version}` : undefined),
    render: ({ agent }) =>
      agent === undefined
        ? ''
        : `In this session you are the agent "${agent.name}". The user chose it, and its instructions are:\n\n${agent.role}`,
    affectedBy: () => false,
  };
}
