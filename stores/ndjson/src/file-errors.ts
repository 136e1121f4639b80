// What the operating system says that is no failure here. For `catch`; anything else is thrown on.

/** Whether it says that a name leads to nothing. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** Whether an error comes from the operating system, such as `EMFILE` or `EIO`. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** The name leads to nothing: there is nothing to read. */
export function unlessGone(error: unknown): undefined {
  if (!isGone(error)) throw error;
  return undefined;
}

/** The name is taken: what should be there is there. */
export function unlessThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error;
  return undefined;
}
