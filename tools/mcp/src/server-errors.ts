// Errors of a call to a server's tool. They are used only if the outcome of the call is certain.

/** Error for a call that did not reach the server. The call therefore did not run. */
export class ServerGone extends Error {
  override readonly name = 'ServerGone';
}

/** Error for a call that the server answered with an error. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused';
}
