// Errors of a call to a server's tool, for the cases in which the outcome of the call is certain.

/** Thrown for a call that did not reach the server, so the call did not run. */
export class ServerGone extends Error {
  override readonly name = 'ServerGone';
}

/** Thrown for a call that the server answered with an error. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused';
}
