// Types for rules and grants. They describe a call that is checked, and the grants that a person can add to the answer
// yes.

import type { EffectClass, Granted } from '@tidemark/log';

/** Kinds of effects that a tool can report for its calls. */
export type EffectKind = 'commands' | 'paths' | 'hosts';

/**
 * Everything that a call would do, for each kind of effect that the tool reports. If a kind is absent, its effects are
 * unknown, so no pattern of that kind allows the call.
 */
export interface CallEffects {
  readonly commands?: CommandEffects;
  readonly paths?: readonly PathEffect[];
  /** Hosts that the call would reach, written as in a URL: in lower case, without a port. */
  readonly hosts?: readonly string[];
  /**
   * Names of access outside of the sandbox that the call requests, such as `the network`. No rule and no grant can
   * allow this access, so a person is asked about each such call.
   */
  readonly beyond?: readonly string[];
}

/** Commands of a call in two lists: commands that are certain to run, and all commands that could run. */
export interface CommandEffects {
  /**
   * Words of each command, if the call consists of exactly these commands and nothing else. If `undefined`, no pattern
   * allows the call.
   */
  readonly plain: readonly (readonly string[])[] | undefined;
  /**
   * Every command that could run, including commands that are passed to other programs. Contains at least the commands
   * in `plain`.
   */
  readonly possible: readonly PossibleCommand[];
  /**
   * Complete text of the call, exactly as its preview shows it. The user can then allow exactly this text, even if its
   * commands are not plain. Absent if the tool cannot guarantee that two calls with the same text do the same.
   */
  readonly script?: string;
}

/**
 * Words of a command. `undefined` represents text that is known only when the shell runs. This text can be any number
 * of words.
 */
export type PossibleCommand = readonly (string | undefined)[];

/** A file or folder that a call touches. */
export interface PathEffect {
  /**
   * Path relative to the workspace, separated by `/`, with symlinks resolved. Empty for the workspace itself. Absolute
   * if it is outside the workspace.
   */
  readonly path: string;
  /** True if the call also touches everything below the path. Default: false. */
  readonly below?: boolean;
}

export interface RuledCall {
  readonly tool: string;
  readonly effect: EffectClass;
  /** True if everything that the call changes is inside the workspace. */
  readonly confined: boolean;
  /**
   * Effects of the call. Absent if the tool reports none of its effects. A rule with patterns then never allows the
   * call. A rule with patterns that denies or asks then always applies. A grant can then only cover every call of the
   * tool. Empty if the tool reports effects, but the effects of this call are unknown. No grant covers such a call.
   */
  readonly effects?: CallEffects;
}

/** Grants that a person may give together with an answer. */
export interface GrantOffer {
  /** The call that a grant must cover. `readGrant` checks the text that the person types against this call. */
  readonly call: RuledCall;
  /**
   * Grant of a plain `always` answer. Absent for a write to reported paths, because another call would write other
   * content.
   */
  readonly exact?: Granted;
  /**
   * True if a grant can be stored for the project, so that it also applies to later sessions. A grant for a whole tool
   * cannot be stored for the project.
   */
  readonly project: boolean;
}

/** Port of project grants: the grants of one workspace, which are stored outside of it. */
export interface ProjectGrants {
  /** Returns the stored grants. It is called before each question, so a revoked grant has no effect any more. */
  kept(): Promise<readonly Granted[]>;
  /** Stores another grant. Returns after it is stored. */
  keep(grant: Granted): Promise<void>;
}
