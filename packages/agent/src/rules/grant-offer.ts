// What a question offers beyond a yes for one call, and where project grants are kept.

import type { Granted } from '@tidemark/log';
import type { RuledCall } from './ruled-call.ts';

/** The grants that a person may give with an answer. */
export interface GrantOffer {
  /** The call as grants look at it: `readGrant` reads what the person types against it. */
  readonly call: RuledCall;
  /** What a plain `always` allows. Absent for a write: another call writes other content. */
  readonly exact?: Granted;
  /** Whether a grant can be kept for the project, which is for later sessions too. */
  readonly project: boolean;
}

/** The port of project grants: those of one workspace, kept outside of it. */
export interface ProjectGrants {
  /** Returns the grants kept now. It is called before each question, so one that was taken back has no effect any more. */
  kept(): Promise<readonly Granted[]>;
  /** Keeps one more. Returns after it is stored. */
  keep(grant: Granted): Promise<void>;
}
