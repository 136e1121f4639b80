// Why a call of a server's tool came to nothing, where it is certain what happened.

/** A call that reached nobody. */
export class ServerGone extends Error {
  override readonly name = 'ServerGone';
}

/** A call that the server answered with an error. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused';
}
