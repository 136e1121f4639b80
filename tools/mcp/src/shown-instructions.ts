// Limits the instructions of a server, which are in the context of each session that uses the server.

/** Longest text, in characters. About 4,000 tokens. */
const LONGEST = 16_000;

/** Returns the instructions as a model sees them. The rest of a long text is cut, and the text says so. */
export function shownInstructions(instructions: string): string {
  if (instructions.length <= LONGEST) return instructions;
  // A cut between the two halves of a surrogate pair would leave a character that no encoding has.
  const cut = instructions.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut}\n[The instructions of this server are cut here: ${instructions.length - cut.length} of ${instructions.length} characters are not shown.]`;
}
