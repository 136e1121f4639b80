// The half of the fold that changes what the front says without an epoch: what was appended becomes a span behind all that
// was said, and is in force from there on.

import type { EpochOpened, RecordedOf, ToolRecord } from '@tidemark/log';
import type { AddedTool, ChangePart } from '@tidemark/model';
import { ROLE } from '../front/front.ts';
import { renderRole } from '../base/render.ts';
import { settleChange } from './settle.ts';
import type { Epoch, InForce, State } from '../state/state.ts';

/** What an epoch's own front says. */
export function frontInForce({ tools, parameters, layers }: EpochOpened): InForce {
  return {
    tools,
    parameters,
    role: layers.find(({ name }) => name === ROLE)?.digest,
    defined: new Map(tools.map(({ name, digest }) => [name, digest])),
    queued: undefined,
    appended: false,
  };
}

/** `tools.changed`: said to the model, or kept for the next epoch. */
export function changeTools(state: State, event: RecordedOf<'tools.changed'>): State {
  const { epoch } = state;
  if (epoch === undefined) return state;
  const { inForce } = epoch;
  const { as, added, removed } = event.data;
  const tools = changedTools(inForce.tools, added, removed);
  if (as === 'queued') return withInForce(state, epoch, { ...inForce, queued: tools });
  const told = added.map(({ name, digest }): AddedTool => {
    const known = inForce.defined.get(name) === digest;
    return { name, definition: digest, ...(known ? { known } : {}) };
  });
  const defined = new Map([...inForce.defined, ...added.map(({ name, digest }) => [name, digest] as const)]);
  const changed = withInForce(state, epoch, { ...inForce, tools, defined, queued: undefined });
  return said(changed, event, { type: 'change', change: 'tools', added: told, removed });
}

/** `reasoning.changed`: said to the model. What is recorded as an epoch's doing says nothing by itself. */
export function changeReasoning(state: State, event: RecordedOf<'reasoning.changed'>): State {
  const { epoch } = state;
  const { as, parameter, setting } = event.data;
  if (epoch === undefined || as !== 'appended' || parameter === undefined) return state;
  const { inForce } = epoch;
  const parameters = { ...inForce.parameters, [parameter]: setting };
  return said(withInForce(state, epoch, { ...inForce, parameters }), event, {
    type: 'change',
    change: 'reasoning',
    setting,
  });
}

/** `role.changed`: told to the model, in the place of the text before it. */
export function changeRole(state: State, event: RecordedOf<'role.changed'>): State {
  const { epoch } = state;
  if (epoch === undefined) return state;
  const { role, text } = event.data;
  const changed = withInForce(state, epoch, { ...epoch.inForce, role });
  return said(changed, event, { type: 'change', change: 'role', text: renderRole(text) });
}

/** A list of tools after a change, by name. */
function changedTools(
  tools: readonly ToolRecord[],
  added: readonly ToolRecord[],
  removed: readonly string[],
): readonly ToolRecord[] {
  const gone = new Set([...removed, ...added.map(({ name }) => name)]);
  return [...tools.filter(({ name }) => !gone.has(name)), ...added].toSorted(byName);
}

function byName(a: ToolRecord, b: ToolRecord): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function withInForce(state: State, epoch: Epoch, inForce: InForce): State {
  return { ...state, epoch: { ...epoch, inForce } };
}

function said(
  state: State,
  { position }: RecordedOf<'tools.changed' | 'reasoning.changed' | 'role.changed'>,
  part: ChangePart,
): State {
  if (state.session === undefined || state.epoch === undefined) return state;
  const { epoch } = state;
  const appended = withInForce(state, epoch, { ...epoch.inForce, appended: true });
  return { ...appended, history: settleChange(state.history, { position, session: state.session, part }) };
}
