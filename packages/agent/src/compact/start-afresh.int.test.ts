// Tests fresh starts against the simulator: the content of the fork, and its reads from the parent's cache. A refusal
// must write nothing.

import type { Recorded, SessionId } from '@tidemark/log';
import { anthropicEncoder, createAnthropicProvider } from '@tidemark/provider-anthropic';
import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { describe, expect, it } from 'vitest';
import { goLive } from '../../tests/small-live.ts';
import { ID } from '../../tests/small-session.ts';
import type { Played } from '../../tests/small-window.ts';
import { playWindow, refusedBy, small } from '../../tests/small-window.ts';
import { made } from '../../tests/small-work.ts';
import { verifySession } from '../audit/rebuild.ts';
import type { AgentSession } from '../ports/live-session.ts';
import { THIS_MACHINE } from '../concurrency.ts';

/** System text that is longer than the floor of the cache, so that the model caches it. */
const ROLE = 'Look at everything before you speak, and say what you saw. '.repeat(150);
const seen: string[] = [];
const look = made('look', async ({ history }) => {
  for await (const record of history.read(0, 4))
    if (record.kind === 'prompt.given') seen.push(JSON.stringify(record.data.parts));
  return { text: 'seen '.repeat(600) };
});
const believed = small('claude-sonnet-4-5', 200_000);

/**
 * Returns the simulator's answers: ten calls of `look`, then `Done.`. Request 13, which a later prompt causes, is
 * answered with one more call of `look`. A request for a checkpoint is answered with `FIELDS`.
 */
function answer(): (sent: ReceivedRequest) => AnswerPlan {
  let step = 0;
  return ({ lastUserText }) => {
    step += 1;
    if (lastUserText.includes('replaced by a checkpoint')) return { answer: { text: FIELDS } };
    return {
      answer: step > 10 && step !== 13 ? { text: 'Done.' } : { calls: [{ name: 'look', arguments: { step } }] },
    };
  };
}

const FIELDS = JSON.stringify({
  objective: 'Look twice.',
  decisions: [{ what: 'Look in order', why: 'it is safer', status: 'settled' }],
  work: [],
  tasks: [],
  questions: [],
  risks: [],
  limitations: [],
});

async function worked(): Promise<Played> {
  const played = await playWindow({ believed, answer: answer(), runtime: { tools: [look], role: ROLE } });
  expect(await played.live.prompt('Look at everything.')).toMatchObject({ outcome: 'completed' });
  expect(await played.live.prompt('Thank you.')).toMatchObject({ outcome: 'completed' });
  return played;
}

async function openFork({ log, shelf, bodies, url }: Played, id: SessionId | undefined): Promise<AgentSession> {
  const provider = createAnthropicProvider({ apiKey: 'sk-test', baseURL: url });
  const onRequest = (body: Uint8Array): void => void bodies.push(new TextDecoder().decode(body));
  const runtime = { capabilities: believed, surroundings: THIS_MACHINE, tools: [look], role: ROLE, onRequest };
  const { live } = await goLive({ provider, shelf, runtime, open: { log, id: id ?? expect.unreachable() } });
  return live;
}

const recordsOf = ({ log }: Played, id: SessionId): Promise<readonly Recorded[]> => Array.fromAsync(log.read(id));
const sessionsIn = async ({ log }: Played): Promise<number> => (await log.sessions()).sessions.length;

describe('a fresh start', () => {
  it('creates a fork that contains only the checkpoint, and does not change the session', async () => {
    const played = await worked();
    const before = await played.records();
    const report = await played.live.compact({ fresh: true });
    expect(report).toMatchObject({ outcome: 'compacted', trigger: 'manual', kept: 0, keeps: [] });
    expect(await played.records()).toEqual(before);
    const fork = await openFork(played, report.fork);
    expect(await fork.prompt('And now?')).toMatchObject({ outcome: 'completed' });
    const { messages } = JSON.parse(played.bodies.at(-2) ?? '');
    expect(messages.map(({ role }: { readonly role: string }) => role)).toEqual(['user', 'user']);
    expect(messages[0].content[0].text).toContain('<checkpoint>');
    expect(messages[0].content[0].text).toContain(`session ${ID}, records 0 to ${before.length - 1}`);
    const own = (await recordsOf(played, fork.id)).slice(before.length);
    expect(own.slice(0, 6).map(({ kind }) => kind)).toEqual([
      'session.created',
      'history.compacted',
      'turn.started',
      'prompt.given',
      'epoch.opened',
      'request.prepared',
    ]);
    expect(report.position).toBe(own[1]?.position);
    expect(refusedBy(played)).toEqual([]);
    await fork.close();
  });

  it("reads the front from the original session's cache, and its tools read the whole conversation", async () => {
    const played = await worked();
    const { fork: id } = await played.live.compact({ fresh: true });
    const fork = await openFork(played, id);
    seen.length = 0;
    await fork.prompt('And now?');
    const first = played.simulator.calls.at(-2)?.usage;
    expect(first?.cache_read_input_tokens).toBeGreaterThan(1_500);
    expect(first?.cache_creation_input_tokens).toBeLessThan(2_000);
    expect(seen).toEqual([expect.stringContaining('Look at everything.')]);
    const encoders = (): typeof anthropicEncoder => anthropicEncoder;
    const { differences, breaks } = await verifySession(played.log, fork.id, { encoders });
    expect([differences, breaks.filter(({ cause }) => cause === undefined)]).toEqual([[], []]);
    await fork.close();
  });

  it('contains the call to the model that wrote the checkpoint, and the price of this call', async () => {
    const played = await worked();
    const { fork: id, strategy } = await played.live.compact({ fresh: true, by: 'model' });
    expect(strategy).toBe('model-assisted');
    const records = await recordsOf(played, id ?? expect.unreachable());
    const compacted = records.findLast((one) => one.kind === 'history.compacted');
    const asked = records.filter(({ kind, data }) => kind === 'request.prepared' && data.purpose === 'compaction');
    expect(compacted).toMatchObject({ data: { made: { requests: asked.map(({ position }) => position) } } });
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(compacted?.data)).toContain('Look in order');
  });

  it('writes nothing in a dry run', async () => {
    const played = await worked();
    const before = await played.records();
    expect(await played.live.compact({ fresh: true, dryRun: true })).toMatchObject({ outcome: 'planned', kept: 0 });
    expect([await sessionsIn(played), await played.records()]).toEqual([1, before]);
  });

  it('is refused if too little would become free, without a fork or a record', async () => {
    const played = await playWindow({ believed, answer: () => ({ answer: { text: 'Done.' } }) });
    await played.live.prompt('Hello.');
    const before = await played.records();
    expect(await played.live.compact({ fresh: true })).toMatchObject({
      outcome: 'refused',
      refused: 'shrinks-too-little',
    });
    expect([await sessionsIn(played), await played.records()]).toEqual([1, before]);
  });

  it('of a fork that has sent nothing is refused, unless a model writes the checkpoint', async () => {
    const played = await worked();
    const { fork: id } = await played.live.compact({ fresh: true });
    const fork = await openFork(played, id);
    const sessions = await sessionsIn(played);
    for (const dryRun of [true, false])
      expect(await fork.compact({ fresh: true, dryRun })).toMatchObject({ refused: 'nothing-new' });
    expect(await sessionsIn(played)).toBe(sessions);
    const better = await fork.compact({ fresh: true, by: 'model' });
    expect(better).toMatchObject({ outcome: 'compacted', strategy: 'model-assisted' });
    const again = await openFork(played, better.fork);
    expect(await again.compact({ fresh: true, by: 'model' })).toMatchObject({ refused: 'nothing-new' });
    expect(await fork.prompt('And now?')).toMatchObject({ outcome: 'completed' });
    expect(await fork.compact({ fresh: true, dryRun: true })).not.toMatchObject({ refused: 'nothing-new' });
    await Promise.all([fork.close(), again.close()]);
  });

  it('is possible while a compaction that keeps a tail is waiting', async () => {
    const played = await worked();
    await played.live.compact({ tailTokens: 2_000 });
    expect(await played.live.compact({ fresh: true })).toMatchObject({ outcome: 'compacted', kept: 0 });
  });

  it('of a session interrupted inside a batch omits the batch, and the fork continues', async () => {
    const played = await worked();
    const ending = played.live.prompt('Look again.');
    await played.live.interrupt();
    await ending;
    const { fork: id, outcome } = await played.live.compact({ fresh: true });
    expect(outcome).toBe('compacted');
    const fork = await openFork(played, id);
    expect(await fork.prompt('Where were we?')).toMatchObject({ outcome: 'completed' });
    expect(refusedBy(played)).toEqual([]);
    await fork.close();
  });

  it('is refused for a session that has sent nothing, and the error names the next step', async () => {
    const played = await playWindow({ believed, answer: answer() });
    await expect(played.live.compact({ fresh: true })).rejects.toMatchObject({
      code: 'agent/nothing-to-send',
      message: expect.stringContaining('send a prompt first'),
    });
  });
});
