// A session with subagents, for tests: one provider speaks for the whole family, by what each of its members is sent.

import type { Kind, Recorded, RecordedOf, SessionId, Usage } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider, scriptedEncoder } from '@tidemark/provider-scripted';
import type { Runtime, SubagentLimits } from '../src/ports/runtime.ts';
import { createAgentTool } from '../src/subagent/agent-tool.ts';
import type { Live, Setting } from './small-live.ts';
import { calls, goLive, heldBy, says } from './small-live.ts';

/** A provider whose answer hangs on what it is sent. */
export function heeding(answer: (said: readonly string[]) => ScriptedAnswer): Provider {
  return {
    name: 'scripted',
    encoder: scriptedEncoder,
    send: (outgoing) => createScriptedProvider({ answers: [answer(heldBy(outgoing.body))] }).send(outgoing),
  };
}

/** Whether a subagent is spoken for. */
const isChild = (said: readonly string[]): boolean => said.some((text) => text.startsWith('You work as a subagent.'));
/** A call of the tool. */
export const agent = (id: string, args: object): readonly [string, string, string] => [
  id,
  'agent',
  JSON.stringify(args),
];

/** A session, and those of its subagents. */
export interface Family extends Live {
  /** All records of each, in the order in which they were started. */
  readonly childrenOf: () => Promise<readonly (readonly Recorded[])[]>;
}

/** Creates a session that may have subagents, or opens the one that is on the shelf. */
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

/** A record of a kind. */
type Of<K extends Kind> = Recorded & RecordedOf<K>;

/** Records of a kind. */
export function of<K extends Kind>(records: readonly Recorded[], kind: K): readonly Of<K>[] {
  return records.filter((record): record is Of<K> => record.kind === kind);
}

/** The parent asks for these, once, and then is done; a child does what it is told to. */
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
