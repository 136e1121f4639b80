// The matrix of modes: what may run, what is asked, and what is denied. Pure.

import type { EffectClass } from '@tidemark/log';
import type { Mode } from '../ports/permissions.ts';

/** What the matrix is asked. */
export interface Permission {
  readonly mode: Mode;
  readonly effect: EffectClass;
  /** All that it changes lies inside the workspace. */
  readonly confined: boolean;
  /** What is executed runs in a sandbox, or the user has said that it need not. */
  readonly sandboxed: boolean;
  /** The call asks for more than its sandbox gives. */
  readonly beyond?: boolean;
}

/** A verdict, and the cell of the matrix that gave it. */
export interface Verdict {
  readonly decision: 'allowed' | 'denied' | 'asks';
  /** `auto/write/outside`: kept in `permission.decided`. */
  readonly rule: string;
}

/** A cell that depends on one thing more: what the rule is then called, and what it says. */
interface Fork {
  readonly if: 'confined' | 'sandboxed';
  readonly met: string;
  readonly unmet: string;
}

type MatrixCell = Verdict['decision'] | Fork;

type MatrixRow = Readonly<Record<EffectClass, MatrixCell>>;

/** Allowed where the condition holds, else a person is asked. */
const INSIDE: Fork = { if: 'confined', met: 'inside', unmet: 'outside' };

const SANDBOXED: Fork = { if: 'sandboxed', met: 'sandboxed', unmet: 'unsandboxed' };

const MATRIX: Readonly<Record<Mode, MatrixRow>> = {
  'read-only': { none: 'allowed', read: 'allowed', write: 'denied', execute: 'denied', network: 'denied' },
  ask: { none: 'allowed', read: 'allowed', write: 'asks', execute: 'asks', network: 'asks' },
  auto: { none: 'allowed', read: 'allowed', write: INSIDE, execute: SANDBOXED, network: SANDBOXED },
};

/** What the matrix says of a call, and by which of its cells. */
export function judge(permission: Permission): Verdict {
  const { mode, effect } = permission;
  const cell = MATRIX[mode][effect];
  const rule = `${mode}/${effect}`;
  if (typeof cell === 'string') return { decision: cell, rule };
  if (cell === SANDBOXED && permission.sandboxed && permission.beyond === true)
    return { decision: 'asks', rule: `${rule}/beyond-sandbox` };
  return permission[cell.if]
    ? { decision: 'allowed', rule: `${rule}/${cell.met}` }
    : { decision: 'asks', rule: `${rule}/${cell.unmet}` };
}

const WIDTH: Readonly<Record<Mode, number>> = { 'read-only': 0, ask: 1, auto: 2 };

/** The mode that allows less: a flag may narrow what the log restores, never widen it. */
export function narrower(a: Mode, b: Mode): Mode {
  return WIDTH[a] <= WIDTH[b] ? a : b;
}
