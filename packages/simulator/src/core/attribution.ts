// Recognises the attribution block of Claude Code, which the service removes from the prompt.

/**
 * True for the text of Claude Code's attribution block: one line. The service removes it only at the first place of the
 * system prompt. Claude Code 2.1.330 leaves it out of its own record of the request.
 */
export function isAttribution(text: string): boolean {
  return /^x-anthropic-billing-header:[^\n]*$/.test(text);
}
