// Tests a session that continues from earlier answers over a WebSocket, against the simulator. The tests check the
// requests, the records and the reasons for starting over. They also rebuild every request from the log, both in its
// sent form and as a whole request.

import type { RequestSpec } from '@tidemark/context';
import { composeFront } from '@tidemark/context';
import type { Recorded } from '@tidemark/log';
import type { Answer } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { createOpenAIProvider, openaiResponsesEncoder } from '@tidemark/provider-openai';
import type { ListeningSimulator, PlannedAnswer, Scenario, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, describe, expect, it } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { goLive } from '../../tests/small-live.ts';
import { ID, begin, prompt, second } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';
import { verifySession } from '../audit/rebuild.ts';
import type { Runtime } from '../ports/runtime.ts';
import { THIS_MACHINE } from '../concurrency.ts';
import { recordAnswer } from '../request/answer.ts';
import type { Prepared } from '../request/prepare.ts';
import { heardFrom, prepareRequest } from '../request/prepare.ts';
import { keepCapabilities, newHash } from '../session/materials.ts';
import { commit } from '../session/session.ts';

const open: ListeningSimulator[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Played extends Live {
  readonly simulator: Simulator;
}

async function play(answers: readonly PlannedAnswer[], runtime: Partial<Runtime> = {}): Promise<Played> {
  const scenario: Scenario = { steps: answers.map((answer) => ({ answer })) };
  const simulator = createSimulator({
    scenario,
    capabilities: (model) => findModel(defaultCatalog(), model, 'openai'),
  });
  const door = await simulator.listen();
  open.push(door);
  const provider = createOpenAIProvider({
    apiKey: 'k',
    api: 'responses',
    baseURL: `${door.url}/v1`,
    transport: 'auto',
  });
  const retry = { attempts: 3, initialDelayMs: 1, maxDelayMs: 1 };
  const whole = { capabilities: row('gpt-5.6-sol'), tools: [look], surroundings: THIS_MACHINE, retry, ...runtime };
  return { ...(await goLive({ provider, runtime: whole })), simulator };
}

function row(model: string): Runtime['capabilities'] {
  const found = findModel(defaultCatalog(), model, 'openai');
  if (found === undefined) throw new Error(`the catalog knows no ${model}`);
  return found;
}

const look = made('look', () => ({ text: 'what was seen '.repeat(400) }));
const CALLS: PlannedAnswer = {
  thinking: 'hm',
  text: 'I look.',
  calls: [
    { name: 'look', arguments: {} },
    { name: 'look', arguments: { at: 2 } },
  ],
};
const SAID: PlannedAnswer = { thinking: 'so', text: 'Seen.' };

function ways(records: readonly Recorded[]): readonly unknown[] {
  return records.flatMap((record) => (record.kind === 'answer.received' ? [record.data.transport] : []));
}

async function verified({ log }: Live): Promise<unknown> {
  const encoders = (): typeof openaiResponsesEncoder => openaiResponsesEncoder;
  const { requests, differences, breaks } = await verifySession(log, ID, { encoders, full: true });
  return { requests, differences, breaks };
}

const WHOLE = { kind: 'websocket', continuation: false };
const GOES_ON = { kind: 'websocket', continuation: true };

describe('a session over a WebSocket', () => {
  it('continues from each answer with only the new part, and every full request can be rebuilt', async () => {
    const played = await play([CALLS, SAID, CALLS, SAID]);
    await played.live.prompt('go');
    await played.live.prompt('and again');
    const records = await played.records();
    expect(ways(records)).toEqual([WHOLE, GOES_ON, GOES_ON, GOES_ON]);
    expect(await verified(played)).toEqual({ requests: 4, differences: [], breaks: [] });
    const sent = records.flatMap((record) => (record.kind === 'request.prepared' ? [record.data] : []));
    expect(sent.map(({ continuation }) => continuation === undefined)).toEqual([true, false, false, false]);
    for (const { bytes, continuation } of sent.slice(2)) expect(continuation?.bytes).toBeLessThan(bytes / 2);
    const bytes = played.simulator.calls.map((call) => call.bytes);
    expect(bytes[2]).toBeLessThan((sent[2]?.bytes ?? 0) / 2);
  });

  it('asks to compare each request with the answer it continues from, in both forms of the request', async () => {
    const played = await play([CALLS, SAID, SAID]);
    await played.live.prompt('go');
    await played.live.prompt('and again');
    const records = await played.records();
    const goneOn = records.flatMap((one) => (one.kind === 'request.prepared' ? [one.data] : [])).slice(1);
    const asked = goneOn.map(({ envelope }) => envelope['prompt_cache_options']);
    expect(asked).toEqual(
      goneOn.map(({ continuation }) => ({ comparison_response_id: continuation?.response ?? 'none' })),
    );
    const said = records.flatMap((one) => (one.kind === 'answer.received' ? [one.data.diagnosis] : []));
    // The first request is below the cache floor. The second request therefore finds no cached prefix, and the
    // simulator has no diagnosis for that.
    expect(said).toEqual([undefined, { found: 'unavailable' }, { found: 'hit' }]);
  });

  it('pays the same as over HTTP', async () => {
    const answers = [CALLS, SAID, CALLS, SAID];
    const played = await play(answers);
    await played.live.prompt('go');
    await played.live.prompt('and again');
    const over = played.simulator.calls.map(({ counts }) => counts);
    const plain = await play(answers);
    const provider = createOpenAIProvider({ apiKey: 'k', api: 'responses', baseURL: `${open.at(-1)?.url}/v1` });
    const http = await goLive({
      provider,
      runtime: { capabilities: row('gpt-5.6-sol'), tools: [look], surroundings: THIS_MACHINE },
    });
    await http.live.prompt('go');
    await http.live.prompt('and again');
    expect(over).toEqual(plain.simulator.calls.map(({ counts }) => counts));
  });

  it('continues after a change of tools that is appended to the history', async () => {
    const played = await play([SAID, SAID, SAID]);
    await changeTools(played);
    expect(ways(await played.records())).toEqual([WHOLE, GOES_ON, GOES_ON]);
    expect(await verified(played)).toEqual({ requests: 3, differences: [], breaks: [] });
  });

  it('makes side calls over HTTP and leaves the connection unchanged', async () => {
    const played = await play([SAID, { text: 'A title.' }, SAID]);
    await played.live.prompt('go');
    await played.live.side({ purpose: 'title', prompt: 'Give it a title.', history: 'main' });
    await played.live.prompt('on');
    expect(ways(await played.records())).toEqual([WHOLE, { kind: 'http' }, GOES_ON]);
    expect(await verified(played)).toEqual({ requests: 3, differences: [], breaks: [] });
  });
});

async function changeTools({ live }: Live): Promise<void> {
  await live.prompt('go');
  live.setTools([look, made('peek', () => ({ text: 'peeked' }))]);
  await live.prompt('on');
  await live.prompt('and on');
}

describe('a session sends its next request whole, with the reason', () => {
  it('`parameters` if a setting changed', async () => {
    const { log, session, promptStreams } = await begin();
    const ask = async (effort: string): Promise<Prepared> => {
      const capabilities = row('gpt-5.6-sol');
      const wanted: RequestSpec = {
        provider: 'openai',
        model: capabilities.model,
        parameters: { 'reasoning.effort': effort },
        capabilities: await keepCapabilities(log.artifacts, capabilities),
        texts: composeFront({ tools: [] }, newHash),
      };
      const options = { wanted, capabilities, encoder: openaiResponsesEncoder, continues: true, outputLimit: 100 };
      await commit(session, [prompt('go')]);
      const prepared = await prepareRequest(session, promptStreams, { ...options, at: second(0) });
      const answer: Answer = { parts: [], stop: 'end', response: 'resp_1', truncated: 'no', usage: {} };
      await recordAnswer(session, prepared, answer, second(0));
      promptStreams.heard = heardFrom(prepared.sequence, openaiResponsesEncoder.revision, answer);
      return prepared;
    };
    const [first, same, other] = [await ask('low'), await ask('low'), await ask('high')];
    expect([first, same, other].map(({ reset }) => reset)).toEqual([undefined, undefined, 'parameters']);
    expect([first, same, other].map(({ continues }) => continues?.response)).toEqual([undefined, 'resp_1', undefined]);
  });

  it('`not-extending` if the tools changed and the model cannot append tools', async () => {
    const played = await play([SAID, SAID, SAID], { capabilities: { ...row('gpt-5.6-sol'), appends: [] } });
    await changeTools(played);
    expect(ways(await played.records())).toEqual([WHOLE, { ...WHOLE, reset: 'not-extending' }, GOES_ON]);
    expect(await verified(played)).toMatchObject({ differences: [] });
  });

  it('`answer-edited` if a call with empty arguments is packed as a call with an empty object', async () => {
    const played = await play([{ calls: [{ name: 'look', arguments: '' }] }, SAID]);
    await played.live.prompt('go');
    expect(ways(await played.records())).toEqual([WHOLE, { ...WHOLE, reset: 'answer-edited' }]);
  });

  it('`unfinished` if the answer was cut at its limit', async () => {
    const played = await play([{ text: 'word '.repeat(3_000) }, SAID], { outputLimit: 200 });
    await played.live.prompt('go');
    await played.live.prompt('on');
    expect(ways(await played.records())).toContainEqual({ ...WHOLE, reset: 'unfinished' });
  });

  it('`connection` if the connection was cut during the previous answer', async () => {
    const played = await play([SAID, SAID, SAID]);
    await played.live.prompt('go');
    played.simulator.fail({ kind: 'cut', afterEvents: 3 });
    expect(await played.live.prompt('on')).toMatchObject({ outcome: 'completed' });
    expect(ways(await played.records())).toEqual([WHOLE, { ...WHOLE, reset: 'connection' }]);
    expect(await verified(played)).toMatchObject({ differences: [] });
  });
});
