// Churn: how often, and why, what should be stable changed on the main stream. Side calls open no epoch and never count.

import type { EpochCause, EpochOpened, Recorded, SessionId } from '@tidemark/log';
import { canonicalText } from '@tidemark/log';

/** What can change of a request's prefix, in one place of it each. */
export type Churned = 'model' | 'parameters' | 'system' | 'tools' | 'history';

/** How often each changed, by the cause of the epoch that changed it. */
export type Changes = { readonly [what in Churned]: { readonly [cause in EpochCause]?: number } };

/** The fold after some records. */
export interface Churn {
  readonly session: SessionId;
  readonly owner: SessionId;
  readonly epoch: EpochOpened | undefined;
  readonly changes: Changes;
  /** Changes that the model took as an appended message: they cost their own bytes alone. */
  readonly appended: number;
}

/** Nothing read yet of this session. */
export function beginChurn(session: SessionId): Churn {
  const changes: Changes = { model: {}, parameters: {}, system: {}, tools: {}, history: {} };
  return { session, owner: session, epoch: undefined, changes, appended: 0 };
}

/** One more record. Of an ancestor's only the epoch is taken: its changes are its own. */
export function addChurn(churn: Churn, record: Recorded): Churn {
  const own = churn.owner === churn.session;
  switch (record.kind) {
    case 'session.created':
      return { ...churn, owner: record.data.id };
    case 'epoch.opened':
      return { ...churn, epoch: record.data, changes: own ? countChanges(churn, record.data) : churn.changes };
    case 'tools.changed':
    case 'reasoning.changed':
    case 'role.changed':
      return own && record.data.as === 'appended' ? { ...churn, appended: churn.appended + 1 } : churn;
    default:
      return churn;
  }
}

const WHAT: readonly Churned[] = ['model', 'parameters', 'system', 'tools', 'history'];

/** What of an epoch each of them is. */
const PARTS: Readonly<Record<Churned, (opened: EpochOpened) => unknown>> = {
  model: ({ provider, model }) => [provider, model],
  parameters: ({ parameters }) => parameters,
  system: ({ layers }) => layers.map(({ name, digest }) => [name, digest]),
  tools: ({ tools }) => tools.map(({ digest }) => digest),
  history: ({ checkpoint = null, prunings = [], quarantines = [] }) => [checkpoint, prunings, quarantines],
};

function countChanges({ epoch, changes }: Churn, opened: EpochOpened): Changes {
  if (epoch === undefined) return changes;
  const { cause } = opened;
  return WHAT.filter((what) => canonicalText(PARTS[what](epoch)) !== canonicalText(PARTS[what](opened))).reduce(
    (sum, what) => ({ ...sum, [what]: { ...sum[what], [cause]: (sum[what][cause] ?? 0) + 1 } }),
    changes,
  );
}
