// What a thrown thing says.

/** Its message, never its stack: for the model, and for people. Never empty. */
export function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' ? cause.name : cause.message;
}
