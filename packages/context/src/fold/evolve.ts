// Fold of the log: one small function per event kind, from state to state. Parts of the state that do not change are
// the same objects.

import type { EpochOpened, HistoryCompacted, Kind, Position, Recorded, RecordedOf } from '@tidemark/log';
import { canonicalText, position as positionOf } from '@tidemark/log';
import { append, appendOnly, itemAt, slice } from '../base/append-only.ts';
import {
  renderAbandoned,
  renderBranch,
  renderCheckpoint,
  renderContent,
  renderNote,
  renderNotification,
} from '../base/render.ts';
import { entriesOf } from '../cache/entries.ts';
import { evolveCrossed } from '../pressure/gauge.ts';
import type { CallClosing, FoldProblem, History, State, WaitingSpan } from '../state/state.ts';
import { accept, fail, send } from './evolve-calls.ts';
import { scalesWithCheckpoint } from './model-tokens.ts';
import { changeReasoning, changeRole, changeTools, frontInForce, prune, quarantine } from './packing-edits.ts';
import {
  foldChanges,
  isOpenCall,
  releaseWaiting,
  repack,
  settleAnswer,
  settleClosing,
  settleInterrupted,
  settleWaiting,
} from './settle.ts';

type FoldStep<K extends Kind> = (state: State, event: RecordedOf<K>) => State;

type Steps = { readonly [K in Kind]: FoldStep<K> };

/** Function for event kinds that change nothing that a model sees. */
const keep = (state: State): State => state;

const STEPS: Steps = {
  'session.created': (state, { data, position }) => ({
    ...state,
    session: data.id,
    root: data.root,
    workspace: data.workspace,
    createdAt: position,
    pace: { ...state.pace, recent: [] },
  }),
  'epoch.opened': openEpoch,
  'context.noted': (state, event) => {
    const { source, revision, body, artifact, urgent } = event.data;
    const text = body ?? `The content of this note is the artifact ${artifact ?? 'unknown'}.`;
    return wait(state, 'note', event, { urgent: urgent === true, parts: [renderNote(source, revision, text)] });
  },
  'turn.started': (state, event) =>
    startTurn({ ...state, directives: appendOnly(), turns: append(state.turns, event.position) }, event),
  'turn.resumed': startTurn,
  'prompt.given': (state, event) => {
    const parts = renderContent(event.data.parts);
    const next = { ...state, directives: append(state.directives, event.position) };
    return wait(next, 'prompt', event, { urgent: false, parts });
  },
  'prompt.denied': keep,
  'notification.received': (state, event) => {
    const { source, provenance, body } = event.data;
    return wait(state, 'prompt', event, { urgent: false, parts: [renderNotification(source, provenance, body)] });
  },
  'request.prepared': (state, event) => {
    const sent = send(state, event);
    return event.data.stream === 'main' ? { ...sent, history: { ...sent.history, inFlight: true } } : sent;
  },
  'request.observed': keep,
  'answer.received': (state, event) => {
    const accepted = accept(state, event);
    if (event.data.stream !== 'main' || state.session === undefined) return accepted;
    return { ...accepted, steps: event.data.step + 1, history: settleAnswer(state.history, event, state.session) };
  },
  'answer.failed': (state, event) =>
    event.data.stream === 'main' ? endFlight(fail(state, event.data.stream)) : fail(state, event.data.stream),
  'answer.interrupted': (state, event) => {
    const failed = event.data.usage === undefined ? fail(state, event.data.stream) : accept(state, event);
    if (event.data.stream !== 'main' || state.session === undefined) return failed;
    return { ...failed, steps: event.data.step + 1, history: settleInterrupted(state.history, event, state.session) };
  },
  'tool.started': keep,
  'tool.returned': (state, event) =>
    close(state, event, { error: false, cut: false, content: renderContent(event.data.parts) }),
  'tool.failed': (state, event) =>
    close(state, event, { error: true, cut: false, content: renderContent(event.data.parts) }),
  'tool.abandoned': (state, event) => {
    const { reason } = event.data;
    return close(state, event, { error: true, cut: reason === 'cut', content: [renderAbandoned(reason)] });
  },
  'tool.charged': keep,
  'permission.decided': keep,
  'mode.changed': keep,
  'agent.chosen': keep,
  'foreign.recorded': keep,
  'tools.changed': changeTools,
  'reasoning.changed': changeReasoning,
  'reasoning.set': keep,
  'role.changed': changeRole,
  'skill.loaded': (state, { data: { call } }) =>
    call === undefined ? state : { ...state, skillCalls: new Set(state.skillCalls).add(call) },
  'history.compacted': (state, { position, data }) =>
    state.session === undefined
      ? state
      : { ...state, compacted: { position, session: state.session, data: endingBefore(data, position) } },
  'compaction.refused': keep,
  'history.pruned': (state, { position, data: { results, cause, tier } }) => {
    if (results === undefined) return state;
    const waiting = { ...state.waiting, prunings: state.waiting.prunings + 1 };
    return { ...state, prunings: [...state.prunings, { position, results, cause, ...(tier && { tier }) }], waiting };
  },
  'block.quarantined': (state, { position, data: { origin, stub } }) => {
    const waiting = { ...state.waiting, quarantines: state.waiting.quarantines + 1 };
    return { ...state, quarantines: [...state.quarantines, { position, origin, stub }], waiting };
  },
  'pressure.crossed': (state, { data }) => ({ ...state, pressure: evolveCrossed(state.pressure, data) }),
  'memory.changed': keep,
  'subagent.started': keep,
  'subagent.ended': keep,
  'process.started': keep,
  'process.ended': keep,
  'branch.summarized': (state, event) => {
    const parts = [renderBranch(event.data.text, event.data.limitations)];
    return wait(state, 'note', event, { urgent: true, parts });
  },
  'turn.ended': (state, { data }) => {
    const directives = data.outcome === 'completed' ? appendOnly<Position>() : state.directives;
    return endFlight({ ...state, turn: undefined, directives });
  },
};

/**
 * Returns the state after one more event. Pure. The running time depends on the new event, not on the length of the
 * session.
 */
export function evolve(state: State, event: Recorded): State {
  const next = event.kind === 'unknown' ? stopAt(state, event.name, event) : step(state, event);
  return { ...next, length: event.position + 1 };
}

// The type parameter tells TypeScript that `STEPS[event.kind]` takes an event of the same kind.
function step<K extends Kind>(state: State, event: RecordedOf<K>): State {
  const one: FoldStep<K> = STEPS[event.kind];
  return one(state, event);
}

function stopAt(state: State, name: string, event: Recorded): State {
  return state.unknown === undefined ? { ...state, unknown: { name, position: event.position } } : state;
}

/**
 * Returns the compaction with a range that ends before its own record. No writer records a longer range. It would drop
 * the prompts that come after the compaction, and the next request could end with an answer, which providers refuse (L8).
 */
function endingBefore(data: HistoryCompacted, at: Position): HistoryCompacted {
  const { range } = data;
  return range.to < at ? data : { ...data, range: { ...range, to: positionOf(at - 1) } };
}

function startTurn(state: State, event: RecordedOf<'turn.started' | 'turn.resumed'>): State {
  return endFlight({ ...state, turn: state.turn ?? { startedAt: event.position } });
}

function endFlight(state: State): State {
  return { ...state, history: releaseWaiting({ ...state.history, inFlight: false }) };
}

function wait(
  state: State,
  kind: 'note' | 'prompt',
  event: Recorded,
  what: Pick<WaitingSpan, 'urgent' | 'parts'>,
): State {
  if (state.session === undefined) return state;
  const waiting: WaitingSpan = { position: event.position, session: state.session, ...what };
  return { ...state, history: settleWaiting(state.history, kind, waiting) };
}

function close(
  state: State,
  event: RecordedOf<'tool.returned' | 'tool.failed' | 'tool.abandoned'>,
  closing: Omit<CallClosing, 'position'>,
): State {
  const { batch } = state.history;
  const { call } = event.data;
  if (batch === undefined || !isOpenCall(batch, call)) return setAside(state, event.position, call);
  const closed: CallClosing = { position: event.position, ...closing };
  return { ...state, history: settleClosing(state.history, batch, call, closed) };
}

function setAside(state: State, position: Recorded['position'], call: string): State {
  const known = state.history.calls.has(call) || state.history.batch?.closed.has(call) === true;
  const problem: FoldProblem = known
    ? { position, code: 'second-closing', message: `call ${call} was closed before; this closing is ignored` }
    : { position, code: 'orphan-closing', message: `call ${call} is not open; its closing is ignored` };
  return { ...state, problems: append(state.problems, problem) };
}

function openEpoch(state: State, event: RecordedOf<'epoch.opened'>): State {
  const { quarantines: stubs, prunings: cuts } = state.epoch?.opened ?? {};
  const { quarantines, prunings } = event.data;
  const repacked = takeUpCheckpoint(state, event);
  const { quarantines: rejected, prunings: shortened } = repacked;
  // Quarantines are applied before prunings. A quarantine names a place in the whole result, so it must be applied
  // before the result is shortened.
  const stubbed = takeUp(repacked, event, { named: quarantines, held: stubs, records: rejected, pack: quarantine });
  const pruned = takeUp(stubbed, event, { named: prunings, held: cuts, records: shortened, pack: prune });
  const unsent = [...notSentShort(state), ...positionsChanged(stubbed, pruned)];
  const waiting = { quarantines: countUnnamed(rejected, quarantines), prunings: countUnnamed(shortened, prunings) };
  const opened = pruned.epoch && { ...pruned.epoch, shortened: new Set(unsent) };
  return { ...pruned, waiting, epoch: opened, cache: knowing(state.cache, event.data.cached) };
}

function knowing(cache: State['cache'], cached: EpochOpened['cached']): State['cache'] {
  return cached === undefined ? cache : { ...cache, entries: [...cache.entries, ...entriesOf(cached)] };
}

function countUnnamed(records: readonly { readonly position: Position }[], named: readonly Position[] = []): number {
  const names = new Set(named);
  return records.filter(({ position }) => !names.has(position)).length;
}

/**
 * Returns the positions of results that the previous epoch shortened, if no request of that epoch was accepted. In this
 * case, the shortened results were never sent.
 */
function notSentShort({ epoch, streams }: State): Iterable<number> {
  const accepted = streams['main']?.accepted?.position ?? -1;
  return epoch === undefined || accepted > epoch.position ? [] : epoch.shortened;
}

function positionsChanged({ history: { packed: before } }: State, { history }: State): readonly number[] {
  if (before === history.packed) return [];
  const changed = slice(history.packed).filter((span, index) => span !== itemAt(before, index));
  return changed.flatMap(({ origin }) => (origin.from === 'event' ? [origin.position] : []));
}

/** Records of one kind that an epoch may name, and the function that applies them to the packed history. */
interface TakenUp<R> {
  readonly named: readonly Position[] | undefined;
  /** Positions that the previous epoch named. */
  readonly held: readonly Position[] | undefined;
  readonly records: readonly R[];
  readonly pack: (history: History, records: readonly R[]) => History;
}

/** Applies the records that this epoch is the first to name. */
function takeUp<R extends { readonly position: Position }>(
  state: State,
  { data, position }: RecordedOf<'epoch.opened'>,
  { named = [], held = [], records, pack }: TakenUp<R>,
): State {
  const before = new Set(held);
  const added = new Set(named.filter((one) => !before.has(one)));
  if (added.size === 0) return state;
  const known = records.filter((one) => added.has(one.position));
  const taken: State = { ...state, history: pack(state.history, known) };
  const found = new Set(known.map((one) => one.position));
  const unknown = [...added].filter((one) => !found.has(one));
  if (unknown.length === 0) return taken;
  const message = `epoch ${data.number} names the records at ${unknown.join(', ')}, which are not of the kind that it takes up`;
  return { ...taken, problems: append(taken.problems, { position, code: 'unknown-epoch-record', message }) };
}

function takeUpCheckpoint(state: State, event: RecordedOf<'epoch.opened'>): State {
  const before = state.epoch;
  const folds = before?.inForce.appended === true;
  const edits = before === undefined || folds || editsSent(before.opened, event.data);
  const opened: State = {
    ...state,
    history: folds ? foldChanges(state.history) : state.history,
    epoch: {
      position: event.position,
      opened: event.data,
      edited: edits ? event.position : before.edited,
      shortened: new Set(),
      inForce: frontInForce(event.data),
    },
  };
  const { checkpoint } = event.data;
  if (checkpoint === undefined || checkpoint === state.epoch?.opened.checkpoint) return opened;
  const { compacted } = state;
  if (compacted?.position !== checkpoint) {
    const message = `epoch ${event.data.number} names a checkpoint at ${checkpoint}, which is no history.compacted`;
    const problem: FoldProblem = { position: event.position, code: 'unknown-epoch-record', message };
    return { ...opened, problems: append(state.problems, problem) };
  }
  const { session, data } = compacted;
  const part = renderCheckpoint(data.checkpoint, data.limitations, formOf(data.fields));
  const { keeps = [], shortens } = data;
  const lead = { position: checkpoint, session, to: data.range.to, part, keeps, shortens };
  const directives = slice(opened.directives).filter((one) => one > data.range.to || keeps.includes(one));
  const scales = scalesWithCheckpoint(state, opened.history, event.data.model, part.text);
  return { ...opened, scales, directives: appendOnly(directives), history: repack(opened.history, lead) };
}

/**
 * Returns `form` of the checkpoint's fields, which selects the rendering of the checkpoint. Returns `undefined` for a
 * checkpoint without fields.
 */
function formOf(fields: HistoryCompacted['fields']): string | undefined {
  const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
  const form = isObject ? fields['form'] : undefined;
  return typeof form === 'string' ? form : undefined;
}

/** Checks that the new epoch changes content that was sent before, not only parameters. */
function editsSent(before: EpochOpened, after: EpochOpened): boolean {
  const sent = ({ layers, tools, checkpoint, prunings, quarantines }: EpochOpened): string =>
    canonicalText({ layers: layers.map((layer) => layer.digest), tools, checkpoint, prunings, quarantines });
  return sent(before) !== sent(after);
}
