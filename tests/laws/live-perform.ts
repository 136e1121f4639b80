// Each deed as what it does to a session at work. Nothing is waited for unless the deed is to wait: the next one comes so
// many moments later, whatever goes on by then.

import { AgentError, planFork } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { expect } from 'vitest';
import type { Deed, LiveCommand, When } from './live-commands.ts';
import type { Life, Promised, Stage } from './live-stage.ts';
import { beginLife, rowOf } from './live-stage.ts';
import { toolsOf } from './live-tools.ts';

/** Rounds in which nothing happens before what hangs is interrupted. */
const PATIENCE = 6;
/** Rounds after which something is wrong. */
const MOST_ROUNDS = 3_000;

/** Waits for its moment, and does one thing. */
export async function performLive(stage: Stage, { after, ...deed }: LiveCommand): Promise<void> {
  await comes(stage, after);
  await perform(stage, deed);
}

async function perform(stage: Stage, deed: Deed): Promise<void> {
  const { live, shop } = stage.life;
  switch (deed.do) {
    case 'prompt':
      stage.script.push(...deed.answers);
      return say(stage, 'prompt', (words) => live.prompt(words));
    case 'resume':
      return resume(stage, deed);
    case 'steer':
      return say(stage, 'steer', (words) => live.steer(words));
    case 'interrupt':
      return say(stage, 'interrupt', () => live.interrupt());
    case 'mode':
      return say(stage, 'mode', () => live.setMode(deed.mode));
    case 'tools':
      return live.setTools(toolsOf(shop, deed.set), { when: deed.when });
    case 'effort':
      return live.setReasoning({ effort: deed.effort === 'unset' ? null : deed.effort });
    case 'switch':
      stage.model = deed.model;
      await live.switchModel({ provider: stage.life.provider, capabilities: rowOf(deed.model) }, { inPlace: true });
      return;
    case 'notify':
      return say(stage, 'notify', (body) => live.notify({ source: 'ci', body, provenance: 'test' }));
    case 'refresh':
      return say(stage, 'refresh', () => live.refresh('world'));
    case 'side':
      return askBeside(stage, deed);
    case 'world':
      stage.world = deed.world;
      stage.revision += 1;
      return;
    case 'pass':
      return stage.clock.pass(deed.ms);
    case 'rest':
      return rest(stage);
    case 'fork':
      return fork(stage);
    case 'restart':
      await closeLife(stage, stage.life);
      return takeUp(stage, deed.model, stage.life.place);
    case 'crash':
      return crash(stage, deed);
  }
}

/** Waits for a moment. Writes that do not come are not waited for. */
async function comes({ life }: Stage, { by, count }: When): Promise<void> {
  if (by === 'moments') return moments({ life }, count);
  const { writes } = life.disk;
  for (let moment = 0; life.disk.writes < writes + count && moment < 400; moment += 1) await moments({ life }, 1);
}

/** So many steps of the microtask queue, and now and then one of the event loop; on a disk, always that. */
export async function moments({ life }: Pick<Stage, 'life'>, count: number): Promise<void> {
  const stride = life.place.store === 'memory' ? 25 : 5;
  for (let moment = 1; moment <= count; moment += 1) {
    if (moment % stride === 0) await new Promise(setImmediate);
    else await Promise.resolve();
  }
}

function say(stage: Stage, what: Promised['what'], how: (words: string) => PromiseLike<unknown>): void {
  const words = `[${what} ${stage.nonce++}]`;
  const promised: Promised = { what, words, life: stage.life.number, came: undefined };
  stage.promised.push(promised);
  how(words).then(
    (value) => (promised.came = { value }),
    (error: unknown) => (promised.came = { error }),
  );
}

/** Refused only where there is nothing to go on with. */
async function resume(stage: Stage, { answers }: Extract<Deed, { readonly do: 'resume' }>): Promise<void> {
  const { live, place } = stage.life;
  if (live.running) return;
  const wasCut = await endsCut(place.open().read(live.id));
  if (live.running) return;
  try {
    const turn = live.resume();
    stage.script.push(...answers);
    say(stage, 'resume', () => turn);
    if (!wasCut) throw new Error('a turn that was complete, or never was, was resumed');
  } catch (error) {
    const refused = error instanceof AgentError && error.code === 'agent/nothing-to-resume';
    if (!refused || wasCut) throw error;
  }
}

async function endsCut(records: AsyncIterable<Recorded>): Promise<boolean> {
  let cut = false;
  for await (const { kind, data } of records) {
    if (kind === 'turn.started' || kind === 'turn.resumed') cut = true;
    if (kind === 'turn.ended') cut = data.outcome !== 'completed';
  }
  return cut;
}

function askBeside(stage: Stage, { history, answer, stops }: Extract<Deed, { readonly do: 'side' }>): void {
  const abort = new AbortController();
  const words = `[beside ${stage.nonce++}]`;
  stage.beside.set(words, answer);
  say(stage, 'side', () => stage.life.live.side({ purpose: 'test', words, history, signal: abort.signal }));
  if (stops) void moments(stage, 60).then(() => abort.abort());
}

/** Waits until no turn runs; what hangs is interrupted. */
async function rest(stage: Stage): Promise<void> {
  await until(stage, () => !stage.life.live.running, true);
}

/** Lets everything go on, time too, until it is done. */
export async function until(stage: Stage, done: () => boolean, interrupts: boolean): Promise<void> {
  let idle = 0;
  for (let round = 0; !done(); round += 1) {
    if (round > MOST_ROUNDS) throw new Error('what was begun does not end');
    for (let turn = 0; turn < 6; turn += 1) await new Promise(setImmediate);
    if (stage.life.place.store === 'ndjson') await new Promise((resolve) => setTimeout(resolve, 1));
    if (done()) return;
    idle = stage.clock.passToNext() ? 0 : idle + 1;
    if (idle >= PATIENCE && interrupts) void stage.life.live.interrupt();
  }
}

/** Closes a process, and waits for its end. Nothing is sent any more. */
export async function closeLife(stage: Stage, life: Life): Promise<void> {
  const { calls } = stage.server.simulator;
  const sent = calls.length;
  let closed = false;
  const closing = life.agent.close().finally(() => (closed = true));
  closing.catch(() => undefined);
  await until(stage, () => closed, false);
  await closing;
  expect(calls).toHaveLength(sent);
}

async function takeUp(stage: Stage, model: number, place: Life['place']): Promise<void> {
  if (model >= 0) stage.model = model;
  stage.life = await beginLife(stage, place, stage.life.number + 1);
}

/** Goes on in a fork, in another process. Whatever was promised by then has come, so that the fork holds it. */
async function fork(stage: Stage): Promise<void> {
  const { live, number, place } = stage.life;
  const pending = (): boolean => stage.promised.some(({ life, came }) => life === number && came === undefined);
  await until(stage, () => !live.running && !pending(), true);
  // What a crash cut open would be left behind, and what had been sent then with it.
  if ((await planFork(place.open(), live.id)).open !== undefined) return;
  const child = await live.fork();
  const left = await Array.fromAsync(place.open().read(live.id));
  const taken = await Array.fromAsync(place.open().read(child.id));
  expect(taken.slice(0, left.length)).toEqual(left);
  expect(taken.slice(left.length).map(({ kind }) => kind)).toEqual(['session.created']);
  stage.id = child.id;
  await closeLife(stage, stage.life);
  await takeUp(stage, -1, place);
}

/** The process is gone. What it had not flushed may be gone too, a share of it in the middle of a line. */
async function crash(stage: Stage, { model, lost }: Extract<Deed, { readonly do: 'crash' }>): Promise<void> {
  const { life } = stage;
  const { place, live, disk } = life;
  const bytes = place.bytesOf(live.id);
  const safe = endOfLine(bytes, Math.max(1, disk.flushed - firstIn(bytes)));
  const end = safe + Math.round((bytes.length - safe) * (1 - lost));
  const left = place.copyWith(live.id, bytes.subarray(0, end));
  stage.places.push(left);
  life.shop.alive = false;
  life.release();
  await closeLife(stage, life);
  await takeUp(stage, model, left);
}

/** The position of the first record of these lines: a fork has none of its ancestors'. */
function firstIn(bytes: Uint8Array): number {
  const line = new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0x0a)));
  const { position }: { readonly position: number } = JSON.parse(line);
  return position;
}

function endOfLine(bytes: Uint8Array, lines: number): number {
  let end = 0;
  for (let line = 0; line < lines; line += 1) end = bytes.indexOf(0x0a, end) + 1;
  return end;
}
