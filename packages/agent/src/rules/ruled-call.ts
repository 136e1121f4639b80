// A call as rules and grants look at it, and what a person may grant beyond a yes for one call.

import type { EffectClass, Granted } from '@tidemark/log';

/** What a tool can tell of its calls. */
export type EffectKind = 'commands' | 'paths' | 'hosts';

/** All that a call would do of each kind that is told. A kind that is absent is not known: no rule on it allows the call. */
export interface CallEffects {
  readonly commands?: CommandEffects;
  readonly paths?: readonly PathEffect[];
  /** Hosts it would reach, as a URL has them: lower case, no port. */
  readonly hosts?: readonly string[];
  /** What the call asks for beyond its sandbox. No rule names it, and no grant holds it: each such call is asked about. */
  readonly beyond?: readonly string[];
}

/** The commands of a call, from both sides: what surely runs, and what might. */
export interface CommandEffects {
  /** Each command word by word, where the call is these and nothing else, to the last character. Else `undefined`: no rule allows it. */
  readonly plain: readonly (readonly string[])[] | undefined;
  /** Every command that could run, with those that other programs would be handed. At least those of `plain`. */
  readonly possible: readonly PossibleCommand[];
}

/** The words of a command. `undefined` stands for what only the running shell knows: any words, any number of them. */
export type PossibleCommand = readonly (string | undefined)[];

/** A file or folder that a call touches. */
export interface PathEffect {
  /** From the workspace on, parted by `/`, empty for the workspace itself, symlinks followed; absolute where it lies outside. */
  readonly path: string;
  /** Whether all that lies below it is touched too. Absent is no. */
  readonly below?: boolean;
}

/** The call that is judged. */
export interface RuledCall {
  readonly tool: string;
  readonly effect: EffectClass;
  /** All that it changes lies inside the workspace. */
  readonly confined: boolean;
  /** Absent: nothing is known, so a rule that looks at anything allows nothing, and forbids all. */
  readonly effects?: CallEffects;
}

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
