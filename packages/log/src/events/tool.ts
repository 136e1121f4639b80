// Payloads of events about tool calls: their start, their end, and the permission decision before them.

import type { Usage } from '@tidemark/core';
import type { CallId, Digest, Money } from '../ids.ts';
import type { ContentPart } from '../parts.ts';

/** Effect class of a tool: the effects that its calls can have. Permissions depend on it. */
export type EffectClass = 'none' | 'read' | 'write' | 'execute' | 'network';

/** Payload of `tool.started`: a tool call began to run. */
export interface ToolStarted {
  readonly call: CallId;
  readonly name: string;
  readonly effect: EffectClass;
}

/** Part of a tool's output that the model was shown: `kept` of `total`, counted in `unit`. */
export interface Shaping {
  readonly by: string;
  readonly kept: number;
  readonly total: number;
  readonly unit: 'bytes' | 'lines' | 'characters';
}

/** File that a tool read, wrote or removed, with the digest of its content at that time. */
export interface FileTouch {
  /** Absolute path, with symlinks resolved. */
  readonly path: string;
  /** SHA-256 of the file's bytes when it was read or written. Absent if the file was removed. */
  readonly digest?: Digest;
  readonly as: 'read' | 'written' | 'removed';
  /**
   * State of the file directly before the call changed it: the SHA-256 of its bytes, or `absent` if there was no file.
   * A touch without this field does not say what the file was before.
   */
  readonly before?: Digest | 'absent';
  /**
   * Content of the file that the call or its result contains: one part, only a change of the content before, or only
   * another form of it, such as a picture or the text of a PDF. Absent if it contains the whole content, and in logs of
   * older releases.
   */
  readonly shows?: ShownBytes | 'change' | 'other-form';
}

/** Range of bytes of a file. */
export interface ShownBytes {
  /** Index of the first byte. */
  readonly from: number;
  /** Index after the last byte. */
  readonly to: number;
  /** Number of bytes of the whole file. */
  readonly of: number;
}

/** Payload of `tool.returned` and `tool.failed`: a tool call ended, with the parts that the model gets. */
export interface ToolEnded {
  readonly call: CallId;
  readonly parts: readonly ContentPart[];
  readonly output?: Digest;
  readonly shaping?: Shaping;
  readonly exit?: number;
  readonly durationMs?: number;
  /**
   * Files that the call read or changed. Only tools that know their files report them. The list is used by the checks
   * for stale files, by project instructions and by summaries.
   */
  readonly files?: readonly FileTouch[];
}

/**
 * Payload of `tool.abandoned`: a call ended without a result. In requests the call gets an error result, so that the
 * history stays closed.
 */
export interface ToolAbandoned {
  readonly call: CallId;
  /**
   * Reason why the call has no result. `interrupted`: it was interrupted while it ran. `unstarted`: the turn ended
   * before the call began. `crashed`: the process stopped while the call ran. `denied`: the permission rules denied the
   * call. `unavailable`: the tool is not available. `cut`: the answer ended before the arguments of the call were
   * complete.
   */
  readonly reason: 'interrupted' | 'unstarted' | 'crashed' | 'denied' | 'unavailable' | 'cut';
}

/**
 * Payload of `tool.charged`: a service outside of the session bills a tool call, for example a web search. The cost
 * counts toward the turn. The tokens do not belong to a request of the session.
 */
export interface ToolCharged {
  readonly call: CallId;
  /** Name of the service, such as `brave`. */
  readonly service: string;
  /** Number of billed requests. */
  readonly requests: number;
  /** Model that the service ran for the call. */
  readonly model?: string;
  /** Tokens that the service reported. */
  readonly usage?: Usage;
  /** Cost in US dollars. Absent if the price is unknown. */
  readonly cost?: Money;
}

/** Payload of `permission.decided`: a rule, a person or a hook allowed or denied a tool call. */
export interface PermissionDecided {
  readonly call: CallId;
  readonly decision: 'allowed' | 'denied';
  /** A hook only denies. The field `rule` then contains `hook/` and the name of the hook. */
  readonly by: 'rule' | 'person' | 'hook';
  readonly rule?: string;
  /**
   * Permission that the person granted for more than this call. It lasts for the session, unless `kept` is set. Forks
   * and subagents do not inherit it.
   */
  readonly always?: Granted;
  /**
   * `project`: the permission is stored in the user's home for later sessions of the workspace. In this case, it is not
   * stored for this session.
   */
  readonly kept?: 'project';
  /** SHA-256 of the preview that the person answered. Absent if no person was asked. */
  readonly shown?: Digest;
}

/** Actions that one tool may do without asking. A call is allowed if all of its actions are listed here. */
export interface Granted {
  readonly tool: string;
  /** Allowed commands, each as a list of words. */
  readonly commands?: readonly (readonly string[])[];
  /** Allowed command patterns, in the form of an allow rule: `npm test *`. */
  readonly patterns?: readonly string[];
  /** Allowed texts of whole command lines. Each covers only a call with exactly this text. */
  readonly scripts?: readonly GrantedScript[];
  /** Allowed files with any content, as paths relative to the workspace, separated by `/`. */
  readonly paths?: readonly string[];
  /**
   * Allowed folders relative to the workspace, without a trailing slash. Every file below them is allowed with any
   * content.
   */
  readonly folders?: readonly string[];
  readonly hosts?: readonly string[];
}

/** Text of a command line that the person was shown and allowed, as one whole. */
export interface GrantedScript {
  readonly text: string;
  /** True if the person allowed the text outside of a sandbox. Otherwise it is allowed in a sandbox only. */
  readonly unsandboxed?: true;
}
