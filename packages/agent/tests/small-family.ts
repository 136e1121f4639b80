// Test helper: a session with subagents. One provider answers for the parent and all subagents, depending on the
// content of each request.

import type { Kind, Recorded, RecordedOf, SessionId, Usage } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider, scriptedEncoder } from '@tidemark/provider-scripted';
import type { Runtime, SubagentLimits } from '../src/ports/runtime.ts';
import { createAgentTool } from '../src/subagent/agent-tool.ts';
import type { Live, Setting } from './small-live.ts';
import { calls, goLive, heldBy, says } from './small-live.ts';

/**
 * Creates a provider that passes the texts and call ids of each request to `answer`. The provider returns the result of
 * `answer`.
 */
export function heeding(answer: (said: readonly string[]) => ScriptedAnswer): Provider {
  return {
    name: 'scripted',
    encoder: scriptedEncoder,
    send: (outgoing) => createScriptedProvider({ answers: [answer(heldBy(outgoing.body))] }).send(outgoing),
  };
}

const isChild = (said: readonly string[]): boolean => said.some((text) => text.startsWith('You work as a subagent.'));
/** Returns a call of the tool `agent` as its id, tool name and arguments in JSON. */
export const agent = (id: string, args: object): readonly [string, string, string] => [
  id,
  'agent',
  JSON.stringify(args),
];

/** A session and its subagents. */
export interface Family extends Live {
  /** Returns all records of each subagent, in the order in which the subagents were started. */
  readonly childrenOf: () => Promise<readonly (readonly Recorded[])[]>;
}

/** Creates a session that is allowed to start subagents, or opens the existing session in the store `shelf`. */
export async function goWithAgents(
  provider: Provider,
  {
    subagents = {},
    ...promptVerbosity
  }: Omit<Partial<Runtime>, 'subagents'> & { readonly subagents?: SubagentLimits | false } = {},
  more: Partial<Setting> = {},
): Promise<Family> {
  const whole = {
    ...(subagents !== false && { subagents }),
    ...promptVerbosity,
    tools: [createAgentTool(), ...(promptVerbosity.tools ?? [])],
  };
  const live = await goLive({ provider, runtime: whole, ...more });
  const readAll = async (id: SessionId): Promise<readonly Recorded[]> => Array.fromAsync(live.log.read(id));
  const childrenOf = async () => {
    const started = of(await live.records(), 'subagent.started');
    return Promise.all(started.map(({ data }) => readAll(data.child)));
  };
  return { ...live, childrenOf };
}

type Of<K extends Kind> = Recorded & RecordedOf<K>;

export function of<K extends Kind>(records: readonly Recorded[], kind: K): readonly Of<K>[] {
  return records.filter((record): record is Of<K> => record.kind === kind);
}

/**
 * Creates a provider for a parent that makes these calls one time and then finishes. `child` returns the answers for
 * the subagents.
 */
export function parentAsks(
  asked: readonly (readonly [string, string, string])[],
  child: (said: readonly string[]) => ScriptedAnswer,
  usage: Usage = {},
): Provider {
  return heeding((said) => {
    if (isChild(said)) return { usage, ...child(said) };
    const answer = said.some((text) => text.startsWith('Subagent ') || asked.some(([id]) => id === text))
      ? says('Thank you.')
      : calls(...asked);
    return { usage, ...answer };
  });
}
