// Subagents of a live session: what each log holds, what the model that asked is told, what bounds them.

import type { Recorded, RecordedOf, SessionId } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider, scriptedEncoder } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import type { Live, Setting } from '../../tests/small-live.ts';
import { calls, goLive, heldBy, says } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';
import type { Runtime } from '../turn/runtime.ts';
import { createAgentTool } from './agent-tool.ts';

/** A provider whose answer hangs on what it is sent. */
function heeding(answer: (said: readonly string[]) => ScriptedAnswer): Provider {
  return {
    name: 'scripted',
    encoder: scriptedEncoder,
    send: (outgoing) => createScriptedProvider({ answers: [answer(heldBy(outgoing.body))] }).send(outgoing),
  };
}

const isChild = (said: readonly string[]): boolean => said.some((text) => text.startsWith('You work as a subagent.'));
const agent = (id: string, args: object): readonly [string, string, string] => [id, 'agent', JSON.stringify(args)];

interface Family extends Live {
  readonly childrenOf: () => Promise<readonly (readonly Recorded[])[]>;
}

async function goWithAgents(provider: Provider, runtime: Partial<Runtime> = {}, more: Partial<Setting> = {}): Promise<Family> {
  const whole = { subagents: {}, ...runtime, tools: [createAgentTool(), ...(runtime.tools ?? [])] };
  const live = await goLive({ provider, runtime: whole, ...more });
  const readAll = async (id: SessionId): Promise<readonly Recorded[]> => Array.fromAsync(live.log.read(id));
  const childrenOf = async () => {
    const started = of(await live.records(), 'subagent.started');
    return Promise.all(started.map(({ data }) => readAll(data.child)));
  };
  return { ...live, childrenOf };
}

function of<K extends Recorded['kind']>(records: readonly Recorded[], kind: K): readonly RecordedOf<K & string>[] {
  return records.filter((record): record is RecordedOf<K & string> => record.kind === kind);
}

test('a subagent works in a session of its own, and its last words are the result', async () => {
  const provider = heeding((said) => {
    if (isChild(said)) return said.includes('found') ? says('It is in tax.js.') : calls(['c1', 'look']);
    return said.some((text) => text.startsWith('Subagent ')) ? says('Thank you.') : calls(agent('a1', { role: 'finder', task: 'Find the tax.' }));
  });
  const { live, records, childrenOf } = await goWithAgents(provider, { tools: [made('look', () => ({ text: 'found' }))] });
  const turn = await live.prompt('Where is the tax?');
  expect(turn).toMatchObject({ outcome: 'completed', text: 'Thank you.' });
  const own = await records();
  const [child = []] = await childrenOf();
  expect(of(own, 'subagent.started')[0]?.data).toEqual({ child: 'name-3', role: 'finder', task: 'Find the tax.', call: 'a1' });
  expect(of(child, 'session.created')[0]?.data).toMatchObject({ root: own[0]?.kind === 'session.created' ? own[0].data.id : '', startedBy: { call: 'a1', depth: 1 } });
  expect(of(child, 'turn.started')[0]?.data).toEqual({ trigger: 'subagent' });
  expect(child.map(({ kind }) => kind)).toEqual([]);
  expect(own.map(({ kind }) => kind)).toEqual([]);
});
