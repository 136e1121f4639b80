// Notices about permission rules that match no tool of the session, such as a rule with a misspelled name of an MCP
// tool. Such a rule has no effect, although its author may rely on it.

import { nearestName } from '../nearest-name.ts';
import type { Notice } from '../ports/session-event.ts';
import { matchStars } from '../rules/name-patterns.ts';
import type { ReadRule } from '../rules/rule.ts';
import type { TurnContext } from '../session/turn-context.ts';

/** Separates the name of an MCP server from the name of its tool. */
const SERVER = '__';

/**
 * Reports rules that match no tool. A rule is reported if a tool or a server has a similar name, or if the server of
 * the rule offers other tools. Other rules are not reported, because they may be meant for tools of another workspace.
 * If a tool forwards calls, tools that are not in the list can be called, so rules about servers are not reported. Each
 * rule is reported only one time in a session.
 */
export function noticeIdleRules({
  runtime: { rules = [], tools },
  raisedNotices,
  tell,
}: Pick<TurnContext, 'runtime' | 'raisedNotices' | 'tell'>): void {
  const names = tools.map(({ name }) => name);
  const hasUnlisted = tools.some(({ forward }) => forward !== undefined);
  for (const rule of rules) {
    if (names.some((name) => matchStars(rule.tool, name))) continue;
    if (hasUnlisted && serverOf(rule.tool) !== undefined) continue;
    const key = `permissions/idle-rule ${rule.decision} ${rule.tool}`;
    const notice = idleRuleNotice(rule, names);
    if (notice === undefined || raisedNotices === undefined || raisedNotices.has(key)) continue;
    raisedNotices.add(key);
    tell({ type: 'notice.raised', notice });
  }
}

function idleRuleNotice({ decision, tool }: ReadRule, names: readonly string[]): Notice | undefined {
  const nearest = nearestTo(tool, names);
  const [server, own] = [serverOf(tool), names.filter((name) => serverOf(name) === serverOf(tool))];
  if (nearest === undefined && (server === undefined || own.length === 0)) return undefined;
  return {
    code: 'permissions/idle-rule',
    message: `the rule "${decision} ${tool}" has no effect: no tool of this session has this name`,
    next: nearest === undefined ? `Use one of ${own.join(', ')}.` : `Did you mean ${nearest}? Correct the rule.`,
  };
}

/**
 * Returns the name that was most likely meant. If the rule is for all tools of a server, returns the name of another
 * server, such as `files__*`.
 */
function nearestTo(tool: string, names: readonly string[]): string | undefined {
  if (!tool.includes('*')) return nearestName(tool, names);
  const servers = [...new Set(names.flatMap((name) => serverOf(name) ?? []))].map((name) => `${name}${SERVER}*`);
  return nearestName(tool, servers) ?? nearestName(tool.replaceAll('*', ''), names);
}

function serverOf(tool: string): string | undefined {
  const end = tool.indexOf(SERVER);
  return end === -1 ? undefined : tool.slice(0, end);
}
