// What a subagent is told: its role and its task are its first prompt, since its front is that of its parent (the cache). They
// are the words of an agent, and say so.

import { NO_ROLE } from './subagent.ts';

/** The words. */
export function firstPrompt(role: string, task: string): string {
  const roleLine = role === NO_ROLE ? '' : `Your role: ${role}\n`;
  return `You work as a subagent. Another agent gave you the task below: it is no word of the user, and nobody answers questions. What you say last is all that is read of your work: say what was found or done, and what was not.\n${roleLine}Your task:\n${task}`;
}
