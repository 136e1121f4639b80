// Audits for tests: with hostile names, and without calls.

import type { Audit, AuditCall, AuditCause, AuditDay, AuditSession, AuditSums } from '@tidemark/analytics';
import type { LossCause } from '@tidemark/context';

/** Title, project, model and id that try to become markup. */
export const HOSTILE = {
  title: '</title><script>alert("prompt")</script>\u202e',
  project: `/home/anna/secret-client/<img src=x onerror='alert(1)'>`,
  model: '"><svg onload=alert(2)>',
  session: `s-1"onclick='x'`,
} as const;

function cause(name: LossCause, cost: string): AuditCause {
  return { cause: name, calls: 1, tokens: 1_000, cost, unpriced: 0 };
}

function sums(paid: string, hadToCost: string, difference: string): AuditSums {
  return { sessions: 1, calls: 4, unpriced: 1, input: 10_000, read: 6_000, paid, hadToCost, difference };
}

const DAYS: readonly AuditDay[] = [
  {
    day: '2026-11-02',
    ...sums('0.3', '0.1', '0.2'),
    causes: [cause('expired', '0.15'), cause('front-changed', '0.05')],
  },
  { day: '2026-11-05', ...sums('7.000000001', '5.000000001', '2'), causes: [cause('front-changed-or-evicted', '2')] },
];

const SESSION: AuditSession = {
  agent: 'claude-code',
  session: HOSTILE.session,
  path: '/home/anna/.claude/projects/x/1.jsonl',
  project: HOSTILE.project,
  title: HOSTILE.title,
  from: '2026-11-02T09:00:00.000Z',
  to: '2026-11-05T09:00:00.000Z',
  written: 100,
  writtenForHour: 0,
  ...sums('7.300000001', '5.100000001', '2.2'),
  causes: [cause('front-changed-or-evicted', '2'), cause('expired', '0.15'), cause('front-changed', '0.05')],
};

/** Calls of the session of `PRETEND_AUDIT`. One has no counts, and one comes after a pause. */
export const PRETEND_CALLS: readonly AuditCall[] = [
  { at: '2026-11-01T09:00:00.000Z', model: 'before-the-audit', input: 9, read: 0, written: 0, again: 0 },
  { at: '2026-11-02T09:00:00.000Z', model: HOSTILE.model, input: 4_000, read: 0, written: 4_000, again: 0 },
  { at: '2026-11-02T09:00:30.000Z', model: HOSTILE.model, input: 0, read: 0, written: 0, again: 0 },
  {
    at: '2026-11-02T09:12:00.000Z',
    model: HOSTILE.model,
    input: 5_000,
    read: 1_000,
    written: 4_000,
    again: 3_000,
    cause: 'expired',
  },
];

/** Audit of one session. */
export const PRETEND_AUDIT: Audit = {
  since: '2026-11-02T00:00:00.000Z',
  project: HOSTILE.project,
  sums: sums('7.300000001', '5.100000001', '2.2'),
  span: { from: SESSION.from, to: SESSION.to },
  causes: SESSION.causes,
  days: DAYS,
  agents: [{ name: 'claude-code', ...sums('7.300000001', '5.100000001', '2.2') }],
  projects: [{ name: HOSTILE.project, ...sums('7.300000001', '5.100000001', '2.2') }],
  models: [{ name: HOSTILE.model, ...sums('7.300000001', '5.100000001', '2.2') }],
  sessions: [SESSION],
  score: { agrees: 1, disagrees: 0, explains: 0, silent: 0 },
  problems: [{ path: '/home/anna/.claude/projects/x/2.jsonl', reason: 'line 3 is not JSON: "my prompt"' }],
  skippedLines: 2,
};

/** Audit without calls. */
export const EMPTY_AUDIT: Audit = {
  since: '2026-11-02T00:00:00.000Z',
  sums: { sessions: 0, calls: 0, unpriced: 0, input: 0, read: 0, paid: '0', hadToCost: '0', difference: '0' },
  causes: [],
  days: [],
  agents: [],
  projects: [],
  models: [],
  sessions: [],
  score: { agrees: 0, disagrees: 0, explains: 0, silent: 0 },
  problems: [],
  skippedLines: 0,
};
