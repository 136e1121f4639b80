// A piece of a text that has the shape of a secret.

/** Offsets into the text, in UTF-16 units. */
export interface SecretShape {
  /** Where that begins by which the secret was found, such as its name. At most `start`. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** The rule or the name that found it: `github`, `DB_PASSWORD`. */
  readonly name: string;
}
