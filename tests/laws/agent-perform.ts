// Performs the commands of a story on an agent's session. Only `rest` waits until no turn runs. All other commands are
// performed at their time, even during a turn.

import { AgentError, planFork } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { expect } from 'vitest';
import type { Action, AgentCommand, When } from './agent-commands.ts';
import type { Process, Promised, Stage } from './agent-session.ts';
import { startProcess } from './agent-session.ts';
import { toolsOf } from './agent-tools.ts';
import { capabilitiesOf } from './settings.ts';

/** Number of idle rounds of `until` after which a turn counts as hanging and is interrupted. */
const PATIENCE = 6;
const MAX_IDLE_ROUNDS = 3_000;

/** Waits until the time of a command and performs it. */
export async function performByAgent(stage: Stage, { after, ...action }: AgentCommand): Promise<void> {
  await comes(stage, after);
  await perform(stage, action);
}

async function perform(stage: Stage, action: Action): Promise<void> {
  const { session, workshop } = stage.process;
  switch (action.do) {
    case 'prompt':
      stage.script.push(...action.answers);
      return say(stage, 'prompt', (words) => session.prompt(words));
    case 'resume':
      return resume(stage, action);
    case 'steer':
      return say(stage, 'steer', (words) => session.steer(words));
    case 'interrupt':
      return say(stage, 'interrupt', () => session.interrupt());
    case 'mode':
      return say(stage, 'mode', () => session.setMode(action.mode));
    case 'tools':
      return session.setTools(toolsOf(workshop, action.set), { when: action.when });
    case 'effort':
      return session.setReasoning({ effort: action.effort === 'unset' ? null : action.effort });
    case 'switch':
      stage.model = action.model;
      await session.setModel({
        provider: stage.process.provider,
        capabilities: capabilitiesOf('simulator', action.model),
      });
      return;
    case 'notify':
      return say(stage, 'notify', (body) => session.notify({ source: 'ci', body, provenance: 'test' }));
    case 'refresh':
      return say(stage, 'refresh', () => session.refresh('world'));
    case 'side':
      return askBeside(stage, action);
    case 'source':
      stage.source = action.behavior;
      stage.sourceRevision += 1;
      return;
    case 'pass':
      return stage.clock.pass(action.ms);
    case 'rest':
      return rest(stage);
    case 'fork':
      return fork(stage);
    case 'restart':
      await closeProcess(stage, stage.process);
      return takeUp(stage, action.model, stage.process.place);
    case 'crash':
      return crash(stage, action);
  }
}

/**
 * Waits until the time of a command. Waits for writes at most 400 moments, because the session may write nothing more.
 */
async function comes({ process }: Stage, { by, count }: When): Promise<void> {
  if (by === 'moments') return moments({ process }, count);
  const { writes } = process.disk;
  for (let moment = 0; process.disk.writes < writes + count && moment < 400; moment += 1) await moments({ process }, 1);
}

/**
 * Waits for `count` moments. A moment is a microtask, but every 25th moment is a full pass of the event loop. With a
 * store on disk, every 5th moment is a full pass.
 */
export async function moments({ process }: Pick<Stage, 'process'>, count: number): Promise<void> {
  const stride = process.place.store === 'memory' ? 25 : 5;
  for (let moment = 1; moment <= count; moment += 1) {
    if (moment % stride === 0) await new Promise(setImmediate);
    else await Promise.resolve();
  }
}

function say(stage: Stage, what: Promised['what'], how: (words: string) => PromiseLike<unknown>): void {
  const words = `[${what} ${stage.counters.nonce++}]`;
  const promised: Promised = { what, words, process: stage.process.number, result: undefined };
  stage.promised.push(promised);
  how(words).then(
    (value) => (promised.result = { value }),
    (error: unknown) => (promised.result = { error }),
  );
}

/**
 * Resumes the last turn. Throws if `resume` refuses although the last turn is incomplete, or succeeds although no turn
 * is incomplete. Does nothing while a turn runs.
 */
async function resume(stage: Stage, { answers }: Extract<Action, { readonly do: 'resume' }>): Promise<void> {
  const { session, place } = stage.process;
  if (session.running) return;
  const wasCut = await endsCut(place.open().read(session.id));
  if (session.running) return;
  try {
    const turn = session.resume();
    stage.script.push(...answers);
    say(stage, 'resume', () => turn);
    if (!wasCut) throw new Error('`resume` accepted a session without a turn to resume');
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

function askBeside(stage: Stage, { history, answer, stops }: Extract<Action, { readonly do: 'side' }>): void {
  const abort = new AbortController();
  const words = `[beside ${stage.counters.nonce++}]`;
  stage.beside.set(words, answer);
  say(stage, 'side', () =>
    stage.process.session.side({ purpose: 'test', prompt: words, history, signal: abort.signal }),
  );
  if (stops) void moments(stage, 60).then(() => abort.abort());
}

async function rest(stage: Stage): Promise<void> {
  await until(stage, () => !stage.process.session.running, true);
}

/**
 * Runs the event loop and the virtual clock until `done` returns true. With `interrupts`, interrupts a turn that hangs.
 */
export async function until(stage: Stage, done: () => boolean, interrupts: boolean): Promise<void> {
  let idle = 0;
  for (let round = 0; !done(); round += 1) {
    if (round > MAX_IDLE_ROUNDS) throw new Error('the work does not end');
    for (let turn = 0; turn < 6; turn += 1) await new Promise(setImmediate);
    if (stage.process.place.store === 'ndjson') await new Promise((resolve) => setTimeout(resolve, 1));
    if (done()) return;
    idle = stage.clock.passToNext() ? 0 : idle + 1;
    if (idle >= PATIENCE && interrupts) void stage.process.session.interrupt();
  }
}

/** Closes a process and waits for its end. Checks that the process sends no request meanwhile. */
export async function closeProcess(stage: Stage, process: Process): Promise<void> {
  const { server } = stage.providers;
  const sent = server.calls().length;
  let closed = false;
  const closing = process.agent.close().finally(() => (closed = true));
  closing.catch(() => undefined);
  await until(stage, () => closed, false);
  await closing;
  expect(server.calls()).toHaveLength(sent);
}

/** Starts the next process of the session. A `model` below 0 keeps the current model. */
export async function takeUp(stage: Stage, model: number, place: Process['place']): Promise<void> {
  if (model >= 0) stage.model = model;
  stage.process = await startProcess(stage, place, stage.process.number + 1);
}

/**
 * Forks the session after its turn and all pending commands have ended, and continues the fork in a new process. The
 * fork then contains the effects of these commands.
 */
async function fork(stage: Stage): Promise<void> {
  const { session, number, place } = stage.process;
  const pending = (): boolean => stage.promised.some((one) => one.process === number && one.result === undefined);
  await until(stage, () => !session.running && !pending(), true);
  // A fork omits work that a crash left open at the end of the log, such as a pending request. The test does not fork
  // then, because it would miss the omitted requests.
  if ((await planFork(place.open(), session.id)).open !== undefined) return;
  const child = await session.fork();
  const left = await Array.fromAsync(place.open().read(session.id));
  const taken = await Array.fromAsync(place.open().read(child.id));
  expect(taken.slice(0, left.length)).toEqual(left);
  expect(taken.slice(left.length).map(({ kind }) => kind)).toEqual(['session.created']);
  stage.id = child.id;
  await closeProcess(stage, stage.process);
  await takeUp(stage, -1, place);
}

/**
 * Ends the process at once. The share `lost` of the bytes that the process had not flushed is lost, so the log may end
 * in the middle of a line.
 */
async function crash(stage: Stage, { model, lost }: Extract<Action, { readonly do: 'crash' }>): Promise<void> {
  const { process } = stage;
  const { place, session, disk } = process;
  const bytes = place.bytesOf(session.id);
  const safe = endOfLine(bytes, Math.max(1, disk.flushed - firstIn(bytes)));
  const end = safe + Math.round((bytes.length - safe) * (1 - lost));
  const left = place.copyWith(session.id, bytes.subarray(0, end));
  stage.places.push(left);
  stage.crashed.add(process.number);
  process.workshop.alive = false;
  process.release();
  await closeProcess(stage, process);
  await takeUp(stage, model, left);
}

/**
 * Returns the position of the first record in these lines. It is not 0 in the log of a fork, which begins after the
 * inherited records.
 */
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
