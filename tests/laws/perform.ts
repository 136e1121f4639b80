// Each command as what it does to a session. What a command cannot mean where it stands is left out.

import type { Recorded } from '@tidemark/log';
import { callId, position, sessionId } from '@tidemark/log';
import { createSession, keepSnapshot, openSession } from '@tidemark/agent';
import { slice } from '@tidemark/context';
import { bystander } from './bystanders.ts';
import type { Command, TextSpec } from './commands.ts';
import type { Driver } from './driver.ts';
import { append, clock, put } from './driver.ts';
import { land } from './land.ts';
import { contentOf, textOf } from './said-content.ts';
import { askBeside } from './send-call.ts';
import { ask, closeSome, saysAside, settle } from './turn.ts';

/** Does one thing. Side calls that were late before it are answered after it, and before a fork leaves them behind. */
export async function perform(driver: Driver, command: Command): Promise<void> {
  const late = command.do === 'restart' || command.do === 'keep-snapshot' ? [] : driver.late.splice(0);
  const landed = async (): Promise<void> => {
    for (const call of late.splice(0)) await land(driver, call);
  };
  if (command.do === 'fork') await landed();
  await performOne(driver, command);
  await landed();
}

async function performOne(driver: Driver, command: Command): Promise<void> {
  switch (command.do) {
    case 'steer':
    case 'note':
    case 'notify':
      return saysAside(driver, command);
    case 'prompt':
      await put(driver, { kind: 'turn.started', data: { trigger: 'user' } });
      return put(driver, {
        kind: 'prompt.given',
        data: { parts: contentOf(driver, command.parts), presenter: 'test' },
      });
    case 'ask':
      return ask(driver, command.answer, command.outcome, command.during);
    case 'side':
      return askBeside(driver, command);
    case 'close':
      return closeSome(driver, command);
    case 'orphan':
      return put(driver, {
        kind: 'tool.returned',
        data: { call: callId(`orphan_${driver.nonce}`), parts: [{ type: 'text', text: 'nobody asked' }] },
      });
    case 'end-turn':
      await settle(driver);
      return put(driver, { kind: 'turn.ended', data: { outcome: 'completed' } });
    case 'reasoning':
      driver.settings = { ...driver.settings, reasoning: command.level };
      return put(driver, {
        kind: 'reasoning.changed',
        data: { setting: `${command.level}`, as: 'epoch', scope: 'lasting' },
      });
    case 'model':
      driver.settings = { ...driver.settings, model: command.model };
      return;
    case 'tools':
      driver.settings = { ...driver.settings, tools: command.set };
      return put(driver, { kind: 'tools.changed', data: { added: [], removed: [], as: 'queued' } });
    case 'role':
      driver.settings = { ...driver.settings, role: command.role };
      return;
    case 'compact':
      return compact(driver, command.keep, command.text);
    case 'prune':
      return prune(driver, command.every, command.kept);
    case 'summarize-branch': {
      const text = textOf(driver, command.text);
      const range = { from: position(0), to: position(0) };
      return put(driver, {
        kind: 'branch.summarized',
        data: { range, strategy: 'deterministic', text, limitations: [] },
      });
    }
    case 'bystander':
      return append(driver, bystander(command.kind, clock(driver)));
    case 'wait':
      driver.now += command.ms;
      return;
    case 'clock-back':
      driver.skew -= command.ms;
      return;
    case 'restart':
      return restart(driver);
    case 'keep-snapshot':
      return keepSnapshot(driver.session);
    case 'fork':
      return fork(driver, command.back);
  }
}

/** Compacts everything but the last few messages, where nothing is open. */
async function compact(driver: Driver, keep: number, text: TextSpec): Promise<void> {
  await settle(driver);
  const groups = [...new Set(slice(driver.session.state.history.packed).map((span) => span.group))];
  const to = groups.at(-1 - keep);
  if (to === undefined) return;
  const range = { from: position(0), to: position(to) };
  const checkpoint = textOf(driver, text);
  await put(driver, {
    kind: 'history.compacted',
    data: { range, strategy: 'deterministic', trigger: 'test', checkpoint, limitations: ['made by a test'] },
  });
}

/** Shortens every so many-th of all that is packed, results and what is none. */
async function prune(driver: Driver, every: number, kept: number): Promise<void> {
  await settle(driver);
  const positions = slice(driver.session.state.history.packed).flatMap(({ origin }, index) =>
    origin.from === 'event' && index % every === 0 ? [position(origin.position)] : [],
  );
  const results = positions.map((one) => ({ position: one, kept }));
  await put(driver, { kind: 'history.pruned', data: { calls: [], results, freed: 0, cause: 'test' } });
}

/** Closes the writer and comes back as a new process would: another store, another fold, no line kept. */
export async function restart(driver: Driver): Promise<void> {
  const { session } = driver.session.writer;
  await driver.session.writer.close();
  driver.log = driver.place.open();
  driver.session = await openSession(driver.log, session);
  driver.promptStreams = { main: undefined };
}

/** Goes on from a closed point of this session in a fork. */
async function fork(driver: Driver, back: number): Promise<void> {
  await settle(driver);
  const point = driver.closed.at(-1 - back) ?? driver.closed.at(-1);
  if (point === undefined) return;
  const { session: parent } = driver.session.writer;
  const { root } = driver.session.state;
  let chain: Recorded['chain'] | undefined;
  for await (const record of driver.log.read(parent, point, point + 1)) chain = record.chain;
  if (chain === undefined || root === undefined) throw new Error(`session ${parent} has no record ${point}`);
  await driver.session.writer.close();
  const id = sessionId(`${root}-fork-${++driver.forks}`);
  const from = { session: parent, position: position(point), chain };
  driver.session = await createSession(driver.log, id, from);
  driver.promptStreams = { main: undefined };
  driver.calls = driver.calls.filter((call) => call.prepared.record.position <= point);
  driver.closed = driver.closed.filter((one) => one <= point);
  await put(driver, { kind: 'session.created', data: { id, root, parent: from, workspace: '/work' } });
}
