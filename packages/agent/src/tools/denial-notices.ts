// Notices about calls that are denied because an option is not set. The model sees only an error and may stop its work.
// The author of the agent therefore has to learn the reason.

import type { EffectClass } from '@tidemark/log';
import type { Mode } from '../ports/permissions.ts';
import type { Notice } from '../ports/session-event.ts';
import { matchStars } from '../rules/name-patterns.ts';
import type { TurnContext } from '../session/turn-context.ts';

/** A call that was denied. */
export interface DeniedCall {
  readonly tool: string;
  readonly effect: EffectClass;
  readonly mode: Mode;
}

/**
 * Reports a call that the default mode denies. There is only one such report in a session. Does nothing if the author
 * chose the mode.
 */
export function noticeDefaultMode(work: TurnContext, call: DeniedCall): void {
  const { modeIsDefault, rules = [] } = work.runtime;
  if (modeIsDefault !== true) return;
  const isAllowed = rules.some(({ decision, tool }) => decision === 'allow' && matchStars(tool, call.tool));
  noticeOnce(work, isAllowed ? overriddenRuleNotice(call) : defaultModeNotice(call));
}

/**
 * Reports a call that a person would have to confirm, if no person can be asked. There is only one such report in a
 * session.
 */
export function noticeNoAsker(work: TurnContext, call: DeniedCall): void {
  noticeOnce(work, noAskerNotice(call));
}

function noticeOnce({ raisedNotices, tell }: TurnContext, notice: Notice): void {
  if (raisedNotices === undefined || raisedNotices.has(notice.code)) return;
  raisedNotices.add(notice.code);
  tell({ type: 'notice.raised', notice });
}

function defaultModeNotice({ tool, effect, mode }: DeniedCall): Notice {
  const message = `the call of "${tool}" (${effect}) was denied: \`permissions.mode\` is not set, and the default mode "${mode}" denies every tool that writes, executes or uses the network`;
  const next =
    effect === 'write'
      ? 'Set `permissions.mode` to "auto", or set `permissions.ask` to decide about each call.'
      : `Set \`permissions.ask\` to decide about each call, or set \`permissions.mode\` to "auto" with ${ruleFor(tool)}.`;
  return { code: 'permissions/default-mode', message, next: `${next} An existing session changes with \`setMode\`.` };
}

function overriddenRuleNotice({ tool, effect, mode }: DeniedCall): Notice {
  return {
    code: 'permissions/default-mode',
    message: `the call of "${tool}" (${effect}) was denied: \`permissions.mode\` is not set, and the default mode "${mode}" overrides the rule that allows "${tool}"`,
    next: 'Set `permissions.mode` to "ask" and keep the rule: the calls that it allows then run without a question. An existing session changes with `setMode`.',
  };
}

function noAskerNotice({ tool, effect, mode }: DeniedCall): Notice {
  const message = `the call of "${tool}" (${effect}) was denied: in mode "${mode}" a person has to confirm it, and \`permissions.ask\` is not set`;
  return {
    code: 'permissions/no-asker',
    message,
    next: `Set \`permissions.ask\`${otherWays({ tool, effect, mode })}.`,
  };
}

/**
 * Returns the options that allow the call without asking a person. No option allows a write outside of the workspace.
 */
function otherWays({ tool, effect, mode }: DeniedCall): string {
  if (mode !== 'auto') return `, or allow the tool with ${ruleFor(tool)}`;
  if (effect === 'write') return '';
  return `, allow the tool with ${ruleFor(tool)}, or allow all such calls with \`permissions.allowUnsandboxed\``;
}

function ruleFor(tool: string): string {
  return `\`permissions.rules: [{ decision: 'allow', tool: '${tool}' }]\``;
}
