// A scripted session driven through the agent against the simulator in this process, on its virtual clock.

import type { EventOf, SessionId, Timestamp } from '@tidemark/log';
import { callId, sessionId, timestamp } from '@tidemark/log';
import type { Encoders, Lines, Prepared, Session } from '@tidemark/agent';
import {
  commit,
  createSession,
  extendsSequence,
  keepCapabilities,
  openSession,
  prepareRequest,
  recordAnswer,
  verifySession,
} from '@tidemark/agent';
import type { Bill, Wanted } from '@tidemark/context';
import { addBills, billOf, NO_BILL } from '@tidemark/context';
import type { Answer, CallPart, Capabilities, Usage } from '@tidemark/model';
import { inputTokens } from '@tidemark/model';
import { anthropicEncoder, decodeMessage } from '@tidemark/provider-anthropic';
import type { Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { createMemoryStore } from '@tidemark/store-memory';

import { FRONT } from './agent-front.ts';
import { madeText } from './made-text.ts';
import type { Script, ScriptedStep } from './scripted-turns.ts';

/** What a driven script came to. */
export interface Driven {
  readonly calls: number;
  readonly bill: Bill;
  /** Requests that broke the prefix although no epoch opened. */
  readonly unlabelled: number;
  /** Requests that `verify` could not make again from the log. */
  readonly differences: number;
}

interface Drive {
  readonly script: Script;
  readonly capabilities: Capabilities;
  readonly wanted: Wanted;
  readonly simulator: Simulator;
  session: Session;
  lines: Lines;
  clock: number;
  calls: number;
  results: number;
  bill: Bill;
  unlabelled: number;
  last: { readonly prepared: Prepared; readonly input: number } | undefined;
}

const SESSION: SessionId = sessionId('scripted');
const START = Date.UTC(2026, 10, 20, 9);
/** Milliseconds between two events of a script: far below the life of an entry. */
const PAUSE = 7_000;

const encoders: Encoders = (revision) => (revision === anthropicEncoder.revision ? anthropicEncoder : undefined);

/** Drives a script with a model's row. @throws Error when the simulator refuses a request. */
export async function driveScript(script: Script, row: Capabilities): Promise<Driven> {
  const capabilities = script.collapse === undefined ? row : { ...row, runsCollapse: script.collapse };
  const drive = await begin(script, capabilities);
  for (const [index, steps] of script.turns.entries()) await driveTurn(drive, index, steps);
  await drive.session.writer.close();
  const { differences } = await verifySession(drive.session.log, SESSION, { encoders });
  const { calls, bill, unlabelled } = drive;
  return { calls, bill, unlabelled, differences: differences.length };
}

async function begin(script: Script, capabilities: Capabilities): Promise<Drive> {
  const session = await createSession(createMemoryStore(), SESSION);
  const data = { id: SESSION, root: SESSION, workspace: '/home/user/shop' };
  await commit(session, [{ kind: 'session.created', at: timestamp(new Date(START).toISOString()), data }]);
  const kept = await keepCapabilities(session.log.artifacts, capabilities);
  const { provider, model } = capabilities;
  return {
    script,
    capabilities,
    wanted: { provider, model, parameters: {}, capabilities: kept, texts: FRONT },
    simulator: createSimulator({ clock: 'virtual', capabilities: () => capabilities, firstByteMs: 1 }),
    session,
    lines: { main: undefined },
    clock: START,
    calls: 0,
    results: 0,
    bill: NO_BILL,
    unlabelled: 0,
    last: undefined,
  };
}

async function driveTurn(drive: Drive, turn: number, steps: readonly ScriptedStep[]): Promise<void> {
  const parts = [{ type: 'text', text: madeText(600, turn) }] as const;
  await commit(drive.session, [
    { kind: 'turn.started', at: tick(drive), data: { trigger: 'user' } },
    { kind: 'prompt.given', at: tick(drive), data: { parts, presenter: 'bench' } },
  ]);
  for (const step of steps) await driveStep(drive, step);
  await driveStep(drive, []);
  await commit(drive.session, [{ kind: 'turn.ended', at: tick(drive), data: { outcome: 'completed' } }]);
}

async function driveStep(drive: Drive, step: ScriptedStep): Promise<void> {
  if (drive.calls === drive.script.restartAt) await restart(drive);
  const answer = await ask(drive, step.length);
  const calls = answer.parts.filter((part): part is CallPart => part.type === 'call');
  await drive.session.writer.sync();
  for (const [index, call] of calls.entries()) await commit(drive.session, [returned(drive, call, step[index] ?? 0)]);
}

function returned(drive: Drive, { call }: CallPart, bytes: number): EventOf<'tool.returned'> {
  drive.results += 1;
  const parts = [{ type: 'text', text: madeText(bytes, drive.results) }] as const;
  return { kind: 'tool.returned', at: tick(drive), data: { call: callId(call), parts } };
}

/** All that a process holds is lost but the log. */
async function restart(drive: Drive): Promise<void> {
  const { log, writer } = drive.session;
  await writer.close();
  drive.session = await openSession(log, SESSION);
  drive.lines = { main: undefined };
}

async function ask(drive: Drive, calls: number): Promise<Answer> {
  const { session, lines, wanted, capabilities } = drive;
  const options = { at: tick(drive), wanted, capabilities, encoder: anthropicEncoder, outputLimit: 4_096 };
  const prepared = await prepareRequest(session, lines, options);
  const answer = send(drive, prepared, calls);
  await recordAnswer(session, prepared, answer, tick(drive));
  account(drive, prepared, answer.usage);
  return answer;
}

function send({ simulator, calls: number }: Drive, { body, betas, record }: Prepared, calls: number): Answer {
  const said = simulator.messages({
    body,
    betas,
    at: Date.parse(record.at),
    answer: {
      text: madeText(300, number),
      calls: Array.from({ length: calls }, (_, index) => ({
        name: `tool_${index % 10}`,
        arguments: { path: `src/${number}/${index}.ts` },
      })),
    },
  });
  if (said.outcome === 'answered') return decodeMessage(JSON.stringify(said.message));
  throw new Error(`call ${number} was refused (${said.status} ${said.type}): ${said.message}`);
}

/** Inside an epoch nothing is taken back, so a call's new tokens are those by which its input grew. */
function account(drive: Drive, prepared: Prepared, usage: Usage): void {
  const { last, capabilities } = drive;
  const input = inputTokens(usage) ?? 0;
  const { at } = prepared.record;
  const unsent = input - (last?.input ?? 0);
  const bill = billOf({ capabilities, at, usage, unsent, before: last?.prepared.record.at });
  if (bill === undefined) throw new Error(`call ${drive.calls} has no price: its usage is ${JSON.stringify(usage)}`);
  const broke = last !== undefined && !extendsSequence(last.prepared.sequence, prepared.sequence);
  drive.unlabelled += broke && prepared.opened === undefined ? 1 : 0;
  drive.bill = addBills(drive.bill, bill);
  drive.calls += 1;
  drive.last = { prepared, input };
}

function tick(drive: Drive): Timestamp {
  drive.clock += PAUSE;
  return timestamp(new Date(drive.clock).toISOString());
}
