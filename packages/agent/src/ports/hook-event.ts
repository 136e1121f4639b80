// Events for which hooks are asked.

/** All events for which hooks are asked. */
export const HOOK_EVENTS = ['before-tool', 'after-tool', 'before-prompt', 'turn-ended'] as const;

/** Event for which a hook is asked. */
export type HookEvent = (typeof HOOK_EVENTS)[number];
