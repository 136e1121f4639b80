// Recognises the attribution block of Claude Code, which the service removes from the prompt.

/**
 * True if the text is Claude Code's attribution block, which has one line. The service removes the block only if it is
 * the first text of the system prompt. Claude Code 2.1.330 omits the block from its own record of the request.
 */
export function isAttribution(text: string): boolean {
  return /^x-anthropic-billing-header:[^\n]*$/.test(text);
}
