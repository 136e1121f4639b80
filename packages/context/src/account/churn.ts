// Counts how often parts of the main stream's prefix changed although they should be stable (churn). Each change is
// counted by its cause. Side calls open no epoch, so they are never counted.

import type { EpochCause, EpochOpened, Recorded, SessionId } from '@tidemark/log';
import { canonicalText } from '@tidemark/log';

/** Parts of a request's prefix that are checked for changes. */
export type Churned = 'model' | 'parameters' | 'system' | 'tools' | 'history';

/** Number of changes of each part, by the cause of the epoch that changed it. */
export type Changes = { readonly [what in Churned]: { readonly [cause in EpochCause]?: number } };

/** State of the churn count after the records added so far. */
export interface Churn {
  readonly session: SessionId;
  readonly owner: SessionId;
  readonly epoch: EpochOpened | undefined;
  readonly changes: Changes;
  /**
   * Number of changes that were appended to the tail as a message. Such a change costs only its own bytes, because the
   * prefix stays cached.
   */
  readonly appended: number;
}

/** Returns the initial state for a session. */
export function beginChurn(session: SessionId): Churn {
  const changes: Changes = { model: {}, parameters: {}, system: {}, tools: {}, history: {} };
  return { session, owner: session, epoch: undefined, changes, appended: 0 };
}

/**
 * Returns the state after one more record. A record of an ancestor session only updates the current epoch, because its
 * changes are counted in the churn of the ancestor.
 */
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

/** Returns the value of each part of the prefix. A part has changed if its value differs between two epochs. */
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
