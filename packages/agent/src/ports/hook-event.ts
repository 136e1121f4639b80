// Events for which hooks are asked, and the rules about them that every form of a hook has: in code, in settings and as a
// program.

/** All events for which hooks are asked. */
export const HOOK_EVENTS = ['before-tool', 'after-tool', 'before-prompt', 'turn-ended'] as const;

/** Event for which a hook is asked. */
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Maximum time limit of one run of a hook, in milliseconds. */
export const MAX_HOOK_TIMEOUT_MS = 60_000;

/** Matches the name of a hook: 1 to 60 visible ASCII characters. */
export const HOOK_NAME: RegExp = /^[\x21-\x7e][\x20-\x7e]{0,59}$/;

/** Returns true if hooks of the event can deny. */
export function canDeny(on: HookEvent): boolean {
  return on === 'before-tool' || on === 'before-prompt';
}

/** A field of a hook that cannot have its value, and the text about it. */
export type HookProblem = readonly [field: string, text: string];

/** Returns the problems with fields that the event of a hook does not allow. */
export function hookProblems(hook: {
  readonly on: HookEvent;
  readonly tools?: unknown;
  readonly whenItFails?: unknown;
}): readonly HookProblem[] {
  const { on, tools, whenItFails } = hook;
  const isOfCalls = on === 'before-tool' || on === 'after-tool';
  const problems: HookProblem[] = [];
  if (tools !== undefined && !isOfCalls)
    problems.push(['tools', `a hook on ${on} is not asked about tools: remove it`]);
  if (whenItFails === 'deny' && !canDeny(on))
    problems.push(['whenItFails', `a hook on ${on} cannot deny: remove it, or use "continue"`]);
  return problems;
}
