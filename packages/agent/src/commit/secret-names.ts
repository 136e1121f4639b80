// Which variables and settings are secret, by their names. The name is all that is asked: never what a value looks like.

/** A secret, and the name that stands in its place. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/** A shorter value would be found by chance in ordinary text. */
const SHORTEST = 12;

/** A word of a name that says secret. Glued words count where no ordinary word ends so: `PGPASSWORD`, `AUTHTOKEN`. */
const SECRET_WORD =
  /^(?:\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:API|ACCESS|SECRET|PRIVATE)KEY)S?|KEYS?|PASS|PWD|CREDS|O?AUTH|AUTHORIZATION|BEARER|JWT)$/;

/** Such a name tells where a secret lies, not what it is. */
const PLACE_WORD = /^(?:FILE|PATH|DIR|DIRECTORY|FOLDER|HOME|SOCK|SOCKET)$/;

/** Said to be no secret by the name itself. */
const PUBLIC_WORD = /^(?:PUBLIC|PUBLISHABLE)$/;

/** Names that say secret and hold the path of a file or folder. */
const PATHS: ReadonlySet<string> = new Set(['PWD', 'GOOGLE_APPLICATION_CREDENTIALS']);

/**
 * Whether the name of a variable or setting says that its value is secret. It is read in words: `API_KEY`, `apiKey` and
 * `npm_config__authToken` are secret; `MONKEY`, `KEYBOARD_LAYOUT`, `AUTHOR` and `SSH_AUTH_SOCK` are not.
 */
export function isSecretName(name: string): boolean {
  if (PATHS.has(name.toUpperCase())) return false;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .map((word) => word.replace(/\d+$/, ''));
  if (words.some((word) => PUBLIC_WORD.test(word)) || PLACE_WORD.test(words.at(-1) ?? '')) return false;
  return words.some((word) => SECRET_WORD.test(word));
}

/** The secrets among these variables or settings: named so, and of 12 characters or more. In the order of their names. */
export function secretsOf(environment: { readonly [name: string]: string | undefined }): readonly SecretValue[] {
  return Object.entries(environment)
    .flatMap(([name, value]) => (value === undefined ? [] : [{ name, value: value.trim() }]))
    .filter(({ name, value }) => value.length >= SHORTEST && isSecretName(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
