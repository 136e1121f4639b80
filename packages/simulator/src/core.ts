// The service without a socket: a body goes in, a refusal or an admitted call comes out. What the cache gains exists once
// the admitted answer begins, and not before.

import { hash } from 'node:crypto';
import { accountRequest } from './accounting.ts';
import type { Account } from './accounting.ts';
import { DEFAULT_ANSWER, makeAnswer, NO_ANSWER } from './answer.ts';
import type { OutputRoom, ScriptedAnswer, SimulatedAnswer } from './answer.ts';
import { createClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { createDiagnostics, fingerprintOf, optsIn } from './diagnostics.ts';
import type { Diagnosis, Diagnostics } from './diagnostics.ts';
import { createEntries } from './entries.ts';
import type { EntryStore } from './entries.ts';
import { refusalOf } from './faults.ts';
import type { Fault } from './faults.ts';
import { issueThinking } from './issue.ts';
import { judge } from './judge.ts';
import type { Judged } from './judge.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import type { Reply } from './message.ts';
import type { AnswerPlan, CallPlan, Settings } from './options.ts';
import { invalid } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { Purpose, WireRequest } from './request.ts';
import { playScenario } from './scenario.ts';
import type { Play } from './scenario.ts';
import { describeRequest } from './sent.ts';
import { createSignatures } from './signatures.ts';
import type { Signatures } from './signatures.ts';
import { distort, usageOf } from './usage.ts';
import type { WireUsage } from './usage.ts';
import { isPrewarm } from './validate/output.ts';
import { readRequest } from './validate/read-request.ts';
import { checkRules } from './validate/rules.ts';
import { outputRoom } from './validate/size.ts';

/** One call as it arrives. What it brings itself goes before what is queued. */
export interface IncomingCall extends CallPlan {
  readonly body: Uint8Array | string;
  readonly account: string;
  readonly betas: readonly string[];
}

/** A call that will be answered. */
export interface Admitted {
  readonly outcome: 'admitted';
  readonly startedAt: number;
  readonly streamed: boolean;
  readonly reply: Reply;
  /** The true account, whatever a fault makes the reply say. */
  readonly usage: WireUsage;
  readonly account: Account;
  readonly fault: Fault | undefined;
  /** The answer begins: what it wrote can be read from then on. */
  begin(at: number): void;
}

/** Everything a simulator remembers. */
export interface Core {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly signatures: Signatures;
  readonly play: Play | undefined;
  readonly plans: CallPlan[];
  readonly faults: Fault[];
  readonly stores: Map<string, EntryStore>;
  readonly diagnostics: Diagnostics;
  /** Messages answered so far. */
  answered: number;
}

/** A simulator that has seen nothing. */
export function createCore(settings: Settings): Core {
  return {
    settings,
    clock: createClock(settings.clock),
    ledger: createLedger(settings.ledgerCalls),
    signatures: createSignatures(settings.recordedSignatures === 'issued'),
    play: settings.scenario === undefined ? undefined : playScenario(settings.scenario),
    plans: [],
    faults: [],
    stores: new Map(),
    diagnostics: createDiagnostics(),
    answered: 0,
  };
}

/** Answers a messages call, or refuses it. Each call is entered in the ledger. */
export function admit(core: Core, call: IncomingCall): Admitted | Refusal {
  const plan = { ...core.plans.shift(), ...withoutUndefined(call) };
  const at = core.clock.now(plan.at);
  const body = bytesOf(call.body);
  const model: Seen = { model: '' };
  const outcome = admitBody(core, call, plan, body, at, model);
  const told = outcome.outcome === 'refused' ? refused(outcome) : { status: 200, usage: outcome.usage, message: outcome.reply.id };
  core.ledger.add({ at, endpoint: 'messages', account: call.account, ...model, ...describeBody(body), ...told });
  return outcome;
}

/** Counts the input tokens of a request, or refuses it. Nothing is cached. */
export function count(core: Core, call: IncomingCall): { readonly outcome: 'counted'; readonly tokens: number } | Refusal {
  const at = core.clock.now(call.at);
  const body = bytesOf(call.body);
  const seen: Seen = { model: '' };
  const request = readChecked(core, call, body, 'count', seen);
  const judged = 'outcome' in request ? request : judge(request, { ...core, account: call.account, sizes: call.sizes });
  const told = 'outcome' in judged ? refused(judged) : { status: 200 };
  core.ledger.add({ at, endpoint: 'count_tokens', account: call.account, ...seen, ...describeBody(body), ...told });
  return 'outcome' in judged ? judged : { outcome: 'counted', tokens: judged.tokens };
}

interface Seen {
  model: string;
}

function admitBody(
  core: Core,
  call: IncomingCall,
  plan: AnswerPlan,
  body: Uint8Array,
  at: number,
  seen: Seen,
): Admitted | Refusal {
  const fault = plan.fault ?? core.faults.shift();
  const struck = refusalOf(fault);
  if (struck !== undefined) return struck;
  const request = readChecked(core, call, body, 'messages', seen);
  if ('outcome' in request) return request;
  const full = { ...planByHook(core, request), ...withoutUndefined(plan), ...(fault === undefined ? {} : { fault }) };
  const judged = judge(request, { account: call.account, signatures: core.signatures, sizes: full.sizes });
  if ('outcome' in judged) return judged;
  const room = outputRoom(request, judged.tokens);
  if ('outcome' in room) return room;
  const scripted = isPrewarm(request) ? full : chooseAnswer(core, request, full);
  return 'outcome' in scripted ? scripted : answerCall(core, judged, scripted, room, at);
}

function readChecked(core: Core, call: IncomingCall, body: Uint8Array, purpose: Purpose, seen: Seen): WireRequest | Refusal {
  const { capabilities } = core.settings;
  const request = readRequest(body, { purpose, betas: call.betas, capabilities });
  if ('outcome' in request) return request;
  seen.model = request.model;
  return checkRules(request) ?? request;
}

function planByHook(core: Core, request: WireRequest): AnswerPlan {
  return core.settings.onRequest?.(describeRequest(request)) ?? {};
}

/** The call's own answer, then the scenario's, then the fixed one. */
function chooseAnswer(core: Core, request: WireRequest, plan: AnswerPlan): AnswerPlan | Refusal {
  if (plan.answer !== undefined || core.play === undefined) return plan;
  const step = core.play.take(describeRequest(request));
  if ('mismatch' in step) return invalid(`simulator: ${step.mismatch}`);
  const fault = plan.fault ?? step.fault;
  return refusalOf(fault) ?? { ...plan, ...withoutUndefined({ answer: step.answer, fault }) };
}

function answerCall(core: Core, judged: Judged, plan: AnswerPlan, room: OutputRoom, at: number): Admitted {
  const { request } = judged;
  const store = storeOf(core, judged);
  if (plan.fault?.kind === 'evicted') store.clear();
  const account = accountRequest(accountingInput(core, judged, store, at));
  for (const entry of account.refreshed) store.put({ ...entry, availableAt: at });
  core.answered += 1;
  const id = `msg_sim${String(core.answered).padStart(10, '0')}`;
  const answer = answerOf(request, plan.answer, room, id);
  const usage = usageOf(account.counts, { ...answer, speed: request.fields['speed'] === 'fast' ? 'fast' : 'standard' });
  const reply: Reply = {
    id,
    model: request.model,
    answer,
    usage: distort(usage, plan.fault?.kind === 'wrong-usage' ? plan.fault.usage : undefined),
    diagnosis: diagnose(core, judged, id, account.counts.read),
    transformations: request.betas.includes(BINDING_BETA) ? judged.thinking.transformations : undefined,
  };
  return {
    outcome: 'admitted',
    startedAt: at,
    streamed: request.stream,
    reply,
    usage,
    account,
    fault: plan.fault,
    begin(first) {
      core.clock.passed(first);
      for (const entry of account.written) store.put({ ...entry, availableAt: first });
      issueThinking(core.signatures, judged, answer.blocks);
    },
  };
}

/** Beta with which dropped thinking is told (§1.8). */
const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

/** Where the catalog knows no floor, the most usual one of §1.2. */
const USUAL_FLOOR = 1024;

function accountingInput(core: Core, judged: Judged, store: EntryStore, now: number): Parameters<typeof accountRequest>[0] {
  const { capabilities } = judged.request;
  const { collapseRuns, promotion } = core.settings;
  return {
    prefix: judged.prefix,
    breakpoints: judged.breakpoints,
    find: (key) => store.find(key, now),
    now,
    floor: capabilities.floor ?? USUAL_FLOOR,
    lookback: capabilities.lookback,
    runsCollapse: collapseRuns ?? capabilities.runsCollapse,
    promotes: promotion === undefined ? capabilities.promotes !== 'no' : promotion === 'works',
  };
}

/** One cache per account and model (§1.1 isolation). */
function storeOf(core: Core, judged: Judged): EntryStore {
  const key = `${judged.account}\n${judged.request.capabilities.model}`;
  const known = core.stores.get(key);
  if (known !== undefined) return known;
  const store = createEntries();
  core.stores.set(key, store);
  return store;
}

function answerOf(request: WireRequest, scripted: ScriptedAnswer | undefined, room: OutputRoom, seed: string): SimulatedAnswer {
  return isPrewarm(request) ? NO_ANSWER : makeAnswer(scripted ?? DEFAULT_ANSWER, room, seed);
}

function diagnose(core: Core, judged: Judged, message: string, read: number): Diagnosis | null {
  if (!optsIn(judged.request)) return null;
  const fingerprint = fingerprintOf(judged.request, judged.account, judged);
  core.diagnostics.remember(message, fingerprint);
  return core.diagnostics.diagnose(judged.request, fingerprint, read);
}

function bytesOf(body: Uint8Array | string): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

function describeBody(body: Uint8Array): { readonly digest: string; readonly bytes: number } {
  return { digest: hash('sha256', body, 'hex'), bytes: body.byteLength };
}

function refused({ status, type, message }: Refusal): { readonly status: number; readonly refusal: { readonly type: string; readonly message: string } } {
  return { status, refusal: { type, message } };
}

/** So that an absent part does not hide one of the same name behind it. */
function withoutUndefined(plan: { readonly [Key in keyof CallPlan]: CallPlan[Key] | undefined }): CallPlan {
  const { answer, sizes, fault, at } = plan;
  return {
    ...(answer === undefined ? {} : { answer }),
    ...(sizes === undefined ? {} : { sizes }),
    ...(fault === undefined ? {} : { fault }),
    ...(at === undefined ? {} : { at }),
  };
}
