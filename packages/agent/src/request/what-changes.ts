// What a request needs in front of it: an epoch that opens, or what is appended inside the one that is open. The bytes that
// its record names are kept here, before anything names them.

import type { Event, EventOf } from '@tidemark/log';
import type { BudgetSettings, FrontTexts, Need, State } from '@tidemark/context';
import { CRITICAL, gaugeOf, neededChange, planPruning } from '@tidemark/context';
import type { Encoder } from '@tidemark/model';
import { keepTools } from '../session/materials.ts';
import type { Session } from '../session/session.ts';
import { asIfRecorded } from './as-if-recorded.ts';
import type { OpeningOptions } from './open-epoch.ts';
import { openingEpoch } from './open-epoch.ts';
import type { Beside } from './request-record.ts';

/** See the head of this file. What an epoch shortens stands in front of it; what its front lacks is appended behind it. */
export interface Changing {
  readonly pruned?: EventOf<'history.pruned'>;
  readonly epoch: EventOf<'epoch.opened'> | undefined;
  /** What its layers and tools name. */
  readonly texts?: FrontTexts;
  readonly changes: readonly (EventOf<'tools.changed'> | EventOf<'reasoning.changed'> | EventOf<'role.changed'>)[];
}

const NOTHING: Changing = { epoch: undefined, changes: [] };

/** What is asked for. */
interface ChangeOptions extends OpeningOptions {
  readonly encoder: Encoder;
  readonly beside?: Pick<Beside, 'mends'>;
  readonly pruning?: 'auto' | 'never';
  readonly compacts?: boolean;
  readonly outputLimit: number;
  readonly budgets?: BudgetSettings;
}

/** What the next request of the main stream needs, with what both the model and the encoder take appended. */
export function needOf(
  state: State,
  { wanted, capabilities, encoder }: Pick<ChangeOptions, 'wanted' | 'capabilities' | 'encoder'>,
): Need {
  return neededChange(
    state,
    wanted,
    capabilities.appends.filter((one) => encoder.appends?.includes(one) ?? true),
  );
}

/** Decides. */
export async function whatChanges(
  session: Session,
  asked: ChangeOptions,
  stamp: Pick<Event, 'at' | 'turn'>,
): Promise<Changing> {
  const { state } = session;
  const { beside } = asked;
  // A side call takes what is in force; an answer that is on its way was asked for behind that, too.
  const inForce = beside !== undefined && (beside.mends !== true || state.history.inFlight);
  if (inForce && state.epoch !== undefined) return NOTHING;
  const need = needOf(state, asked);
  if (beside !== undefined && need.do !== 'epoch') return NOTHING;
  const pruned = shortening(state, asked, need, stamp);
  if (pruned !== undefined) {
    const before = { ...session, state: asIfRecorded(state, pruned) };
    const cause = need.do === 'epoch' ? need.cause : 'pruning';
    return { pruned, ...(await openingEpoch(before, asked, cause, stamp)), changes: [] };
  }
  switch (need.do) {
    case 'nothing':
      return NOTHING;
    case 'append':
      return { epoch: undefined, changes: await changesOf(session, asked, need, stamp) };
    case 'epoch': {
      const opening = await openingEpoch(session, asked, need.cause, stamp);
      // The front of a parent lacks the tools that were appended there.
      const behind = needOf(asIfRecorded(state, opening.epoch), asked);
      return { ...opening, changes: behind.do === 'append' ? await changesOf(session, asked, behind, stamp) : [] };
    }
  }
}

async function changesOf(
  { log }: Session,
  { wanted }: ChangeOptions,
  { changes }: Extract<Need, { readonly do: 'append' }>,
  stamp: Pick<Event, 'at' | 'turn'>,
): Promise<Changing['changes']> {
  await keepTools(log.artifacts, wanted.texts.tools);
  return changes.map((change) => ({ ...stamp, ...change }));
}

/** The old results that are to be shortened with this request, if any. */
function shortening(
  state: State,
  { wanted, capabilities, ttl, pruning, compacts, outputLimit, budgets }: ChangeOptions,
  need: Need,
  stamp: Pick<Event, 'at' | 'turn'>,
): EventOf<'history.pruned'> | undefined {
  if (pruning !== 'auto') return undefined;
  const { at } = stamp;
  const gauge = gaugeOf(state, capabilities, { outputLimit, at, ...(budgets && { budgets }) });
  const data = planPruning({
    state,
    wanted,
    need,
    capabilities,
    at,
    ttl: ttl === '1h' ? ttl : '5m',
    gauge,
    ...(compacts === true && { compactsAt: CRITICAL * gauge.limit }),
  });
  return data && { kind: 'history.pruned', ...stamp, data };
}
