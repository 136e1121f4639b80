// Performs the commands of a story on the turn loop (`loop.ts`). A command that is not possible in the current state
// does nothing.

import type { Prepared } from '@tidemark/agent';
import { createSession, keepSnapshot, openSession } from '@tidemark/agent';
import type { State } from '@tidemark/context';
import { itemAt, slice } from '@tidemark/context';
import type { ContentPart, Event, Recorded, Timestamp } from '@tidemark/log';
import { callId, digest, position, sessionId } from '@tidemark/log';
import type { AnswerSpec, TextSpec } from './content.ts';
import { contentOf, textOf } from './content.ts';
import type { Aside, Closing, Command, Outcome, SideSpec } from './loop-commands.ts';
import type { Loop } from './loop.ts';
import { append, askBeside, clock, land, prepareWith, put, send } from './loop.ts';

/**
 * Performs one command, and afterwards records the answers of side calls that were sent late in earlier commands.
 * Before a fork, these answers are recorded first, because the fork leaves the session of the side calls. `restart` and
 * `keep-snapshot` record none of them.
 */
export async function perform(loop: Loop, command: Command): Promise<void> {
  const late = command.do === 'restart' || command.do === 'keep-snapshot' ? [] : loop.late.splice(0);
  const landed = async (): Promise<void> => {
    for (const call of late.splice(0)) await land(loop, call);
  };
  if (command.do === 'fork') await landed();
  await performOne(loop, command);
  await landed();
}

async function performOne(loop: Loop, command: Command): Promise<void> {
  switch (command.do) {
    case 'steer':
    case 'note':
    case 'notify':
      return saysAside(loop, command);
    case 'prompt':
      await put(loop, { kind: 'turn.started', data: { trigger: 'user' } });
      return put(loop, {
        kind: 'prompt.given',
        data: { parts: contentOf(loop.counters, command.parts), presenter: 'test' },
      });
    case 'ask':
      return ask(loop, command.answer, command.outcome, command.during);
    case 'side':
      return askBeside(loop, command);
    case 'close':
      return closeSome(loop, command);
    case 'orphan':
      return put(loop, {
        kind: 'tool.returned',
        data: { call: callId(`orphan_${loop.counters.nonce}`), parts: [{ type: 'text', text: 'nobody asked' }] },
      });
    case 'end-turn':
      await settle(loop);
      return put(loop, { kind: 'turn.ended', data: { outcome: 'completed' } });
    case 'reasoning':
      loop.settings = { ...loop.settings, reasoning: command.level };
      return put(loop, {
        kind: 'reasoning.changed',
        data: { setting: `${command.level}`, as: 'epoch', scope: 'lasting' },
      });
    case 'model':
      loop.settings = { ...loop.settings, model: command.model };
      return;
    case 'tools':
      loop.settings = { ...loop.settings, tools: command.set };
      return put(loop, { kind: 'tools.changed', data: { added: [], removed: [], as: 'queued' } });
    case 'role':
      loop.settings = { ...loop.settings, role: command.role };
      return;
    case 'compact':
      return compact(loop, command.keep, command.text);
    case 'prune':
      return prune(loop, command.every, command.kept);
    case 'summarize-branch': {
      const text = textOf(loop.counters, command.text);
      const range = { from: position(0), to: position(0) };
      return put(loop, {
        kind: 'branch.summarized',
        data: { range, strategy: 'deterministic', text, limitations: [] },
      });
    }
    case 'bystander':
      return append(loop, bystander(command.kind, clock(loop)));
    case 'wait':
      loop.now += command.ms;
      return;
    case 'clock-back':
      loop.skew -= command.ms;
      return;
    case 'restart':
      return restart(loop);
    case 'keep-snapshot':
      return keepSnapshot(loop.session);
    case 'fork':
      return fork(loop, command.back);
  }
}

/**
 * Closes all open calls. Then compacts the history except its last `keep` messages, if it has more than `keep`
 * messages.
 */
async function compact(loop: Loop, keep: number, text: TextSpec): Promise<void> {
  await settle(loop);
  const groups = [...new Set(slice(loop.session.state.history.packed).map((span) => span.group))];
  const to = groups.at(-1 - keep);
  if (to === undefined) return;
  const range = { from: position(0), to: position(to) };
  const checkpoint = textOf(loop.counters, text);
  await put(loop, {
    kind: 'history.compacted',
    data: { range, strategy: 'deterministic', trigger: 'test', checkpoint, limitations: ['made by a test'] },
  });
}

/** Closes all open calls, and prunes one of `every` packed spans. A pruned span need not be a tool result. */
async function prune(loop: Loop, every: number, kept: number): Promise<void> {
  await settle(loop);
  const positions = slice(loop.session.state.history.packed).flatMap(({ origin }, index) =>
    origin.from === 'event' && index % every === 0 ? [position(origin.position)] : [],
  );
  const results = positions.map((one) => ({ position: one, kept }));
  await put(loop, { kind: 'history.pruned', data: { calls: [], results, freed: 0, cause: 'test' } });
}

async function restart(loop: Loop): Promise<void> {
  const { session } = loop.session.writer;
  await loop.session.writer.close();
  loop.log = loop.place.open();
  loop.session = await openSession(loop.log, session);
  loop.promptStreams = { main: undefined };
}

/**
 * Closes all open calls, and continues the session in a fork from an earlier position at which nothing was open. With
 * `back` 0, this is the latest such position.
 */
async function fork(loop: Loop, back: number): Promise<void> {
  await settle(loop);
  const point = loop.closed.at(-1 - back) ?? loop.closed.at(-1);
  if (point === undefined) return;
  const { session: parent } = loop.session.writer;
  const { root } = loop.session.state;
  let chain: Recorded['chain'] | undefined;
  for await (const record of loop.log.read(parent, point, point + 1)) chain = record.chain;
  if (chain === undefined || root === undefined) throw new Error(`session ${parent} has no record ${point}`);
  await loop.session.writer.close();
  const id = sessionId(`${root}-fork-${++loop.forks}`);
  const from = { session: parent, position: position(point), chain };
  loop.session = await createSession(loop.log, id, from);
  loop.promptStreams = { main: undefined };
  loop.calls = loop.calls.filter((call) => call.prepared.record.position <= point);
  loop.closed = loop.closed.filter((one) => one <= point);
  await put(loop, { kind: 'session.created', data: { id, root, parent: from, workspace: '/work' } });
}

async function saysAside(loop: Loop, aside: Aside): Promise<void> {
  switch (aside.do) {
    case 'steer':
      return put(loop, {
        kind: 'prompt.given',
        data: { parts: contentOf(loop.counters, aside.parts), presenter: 'test', steer: true },
      });
    case 'note': {
      const body = textOf(loop.counters, aside.text);
      const revision = `r${loop.counters.nonce}`;
      return put(loop, {
        kind: 'context.noted',
        data: { source: 'test', revision, cause: 'changed', body, ...(aside.urgent ? { urgent: true } : {}) },
      });
    }
    case 'notify':
      return put(loop, {
        kind: 'notification.received',
        data: { source: 'test', body: textOf(loop.counters, aside.text), provenance: 'test' },
      });
  }
}

/** Ends an unfinished answer, and closes all open calls as crashed. */
async function settle(loop: Loop): Promise<void> {
  if (loop.session.state.history.inFlight) await put(loop, { kind: 'turn.resumed', data: { trigger: 'user' } });
  for (const call of openCalls(loop.session.state))
    await put(loop, { kind: 'tool.abandoned', data: { call: callId(call), reason: 'crashed' } });
}

function openCalls(state: State): readonly string[] {
  const { batch } = state.history;
  return (batch?.calls ?? []).filter((call) => batch?.closed.has(call.call) !== true).map((call) => call.call);
}

/**
 * Closes all open calls and prepares the next request of the main stream. Adds a prompt first if the last message is
 * not a message of the user.
 */
async function prepare(loop: Loop): Promise<Prepared> {
  await settle(loop);
  if (itemAt(loop.session.state.history.packed, -1)?.role !== 'user') {
    await put(loop, {
      kind: 'prompt.given',
      data: { parts: [{ type: 'text', text: `Go on (${loop.counters.nonce++}).` }], presenter: 'test' },
    });
  }
  return prepareWith(loop);
}

/**
 * Calls the model once and records the end of the call. The messages and side calls in `during` come between the
 * request and its end.
 */
export async function ask(
  loop: Loop,
  answer: AnswerSpec,
  outcome: Outcome,
  during: readonly (Aside | SideSpec)[],
): Promise<void> {
  const call = await send(loop, await prepare(loop), answer, outcome);
  for (const aside of during) await (aside.do === 'side' ? askBeside(loop, aside) : saysAside(loop, aside));
  await land(loop, call);
}

async function closeSome(loop: Loop, close: Extract<Command, { readonly do: 'close' }>): Promise<void> {
  const open = inOrder(openCalls(loop.session.state), close.order);
  const some = open.slice(0, Math.ceil(open.length * close.share));
  for (const [index, call] of some.entries()) {
    const parts = contentOf(loop.counters, close.contents[index % close.contents.length] ?? []);
    await closeOne(loop, call, close.fates[index % close.fates.length] ?? 'returned', parts);
  }
}

async function closeOne(loop: Loop, id: string, fate: Closing, parts: readonly ContentPart[]): Promise<void> {
  const call = callId(id);
  switch (fate) {
    case 'returned-twice':
      await put(loop, { kind: 'tool.returned', data: { call, parts } });
      return put(loop, {
        kind: 'tool.returned',
        data: { call, parts: [{ type: 'text', text: `again ${loop.counters.nonce++}` }] },
      });
    case 'returned':
      return put(loop, { kind: 'tool.returned', data: { call, parts } });
    case 'failed':
      return put(loop, { kind: 'tool.failed', data: { call, parts } });
    default:
      return put(loop, { kind: 'tool.abandoned', data: { call, reason: fate } });
  }
}

/** Shuffles the calls. The same `order` always gives the same result. */
function inOrder(calls: readonly string[], order: number): readonly string[] {
  return calls.toSorted((a, b) => rank(a, order) - rank(b, order));
}

function rank(text: string, order: number): number {
  let value = order + 1;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
  return value;
}

/** Returns one of ten events that add nothing to a request, wherever they are in a log. */
function bystander(kind: number, at: Timestamp): Event {
  const made = BYSTANDERS[kind % BYSTANDERS.length] ?? BYSTANDERS[0];
  return made(at);
}

const call = callId('c');
const child = sessionId('child');
const after = digest('0'.repeat(64));

const BYSTANDERS: readonly [(at: Timestamp) => Event, ...((at: Timestamp) => Event)[]] = [
  (at) => ({ kind: 'tool.started', at, data: { call, name: 'read', effect: 'read' } }),
  (at) => ({ kind: 'permission.decided', at, data: { call, decision: 'allowed', by: 'rule', rule: 'all' } }),
  (at) => ({ kind: 'mode.changed', at, data: { mode: 'auto', by: 'user' } }),
  (at) => ({ kind: 'foreign.recorded', at, data: { format: 'test', line: 1, record: { kind: 'none' } } }),
  (at) => ({
    kind: 'skill.loaded',
    at,
    data: { name: 's', version: '1', reason: 'on_demand', tokens: 3, source: 'test' },
  }),
  (at) => ({ kind: 'compaction.refused', at, data: { trigger: 'test', reason: 'no gain', sizes: { before: 1 } } }),
  (at) => ({ kind: 'pressure.crossed', at, data: { tier: 'advisory', ratio: 0.7, limit: 10, input: 7 } }),
  (at) => ({ kind: 'memory.changed', at, data: { file: 'm', operation: 'add', after, bytes: 1 } }),
  (at) => ({ kind: 'subagent.started', at, data: { child, role: 'scout', task: 'look' } }),
  (at) => ({ kind: 'process.started', at, data: { process: 'p1', command: 'npm run dev' } }),
  (at) => ({ kind: 'process.ended', at, data: { process: 'p1', exit: 0, by: 'itself' } }),
  (at) => ({ kind: 'history.pruned', at, data: { calls: [], freed: 0, cause: 'test' } }),
];
