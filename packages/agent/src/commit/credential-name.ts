// Reads the name in front of a value in a text: `DB_PASSWORD=`, `"apiKey":`. The name decides how much the value itself
// must look like a credential before it is masked. See docs/decisions/2026-11-22-secret-shapes.md.

/**
 * The kind of credential that a name announces. `password` may be a word; `token` never is one; `login` is `user:password`
 * in base64; `key` says little (`SORT_KEY`), so its value must look random.
 */
export type CredentialKind = 'password' | 'token' | 'login' | 'key';

/** Words that may follow the word that counts: `API_KEY_PROD`, `TOKEN_2`. */
const STAGE = /^(?:\d*|PROD|PRODUCTION|DEV|DEVELOPMENT|STAGE|STAGING|TEST|TESTING|LIVE|OLD|NEW|CURRENT|BACKUP)$/;

/** Words that make a token public or a mere position: `NEXT_PAGE_TOKEN`, `PUBLIC_KEY`. */
const HARMLESS =
  /^(?:PUBLIC|PUBLISHABLE|NEXT|PREV|PREVIOUS|PAGE|PAGINATION|CONTINUATION|CURSOR|SYNC|CANCEL|CANCELLATION)$/;

/** Words before PASS that make it a step of work, such as one of a renderer or a compiler. */
const STEP =
  /^(?:RENDER|SHADOW|DEPTH|BLOOM|BLUR|COLOR|COLOUR|GEOMETRY|LIGHT|LIGHTING|FORWARD|DEFERRED|COMPUTE|SHADER|OUTLINE|OPAQUE|TRANSPARENT|PRE|POST|FIRST|SECOND|THIRD|SINGLE|MULTI|FINAL|LAST|OPTIMIZATION|COMPILER|LOW|HIGH|BAND|BY|BOARDING)$/;

const PASSWORD = /^(?:\w*(?:PASSWORD|PASSWD|PASSPHRASE|PASSCODE)S?|PWD)$/;
const TOKEN = /^(?:\w*(?:TOKEN|SECRET)|(?:API|ACCESS|SECRET|PRIVATE|AUTH)KEYS?|SECRETS|CREDENTIALS?|CREDS)$/;

/** A word that makes the word KEY behind it announce a credential. */
const KEY_OF =
  /^(?:\w*API|ACCESS|SECRET|PRIVATE|AUTH|ACCOUNT|ADMIN|APP|CLIENT|CONSUMER|DEPLOY|ENCRYPTION|LICENSE|MASTER|SERVICE|SHARED|SIGNING|SUBSCRIPTION|WEBHOOK)$/;

/**
 * The kind that this name announces, by its last words: `AWS_SECRET_ACCESS_KEY`, `x-api-key`, `clientSecret`, `PGPASSWORD`.
 * `undefined` for a name that announces none: `max_tokens`, `PASSWORD_FILE`, `tokenType`, `key`.
 */
export function credentialKind(name: string): CredentialKind | undefined {
  const words = wordsOf(name);
  while (words.length > 1 && STAGE.test(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1) ?? '';
  const before = words.at(-2);
  if (words.some((word) => HARMLESS.test(word))) return undefined;
  if (PASSWORD.test(last)) return /^(?:OLD)?PWD$/.test(words.join('')) ? undefined : 'password';
  if (last === 'PASS') return before === undefined ? 'token' : STEP.test(before) ? undefined : 'password';
  if (TOKEN.test(last) || isKeyTail(words)) return 'token';
  if (last === 'AUTH') return 'login';
  if (!/^KEYS?$/.test(last) || before === undefined) return undefined;
  return KEY_OF.test(before) ? 'token' : 'key';
}

/** `ACCESS_KEY_ID` and `SECRET_KEY_BASE` end in another word than KEY. */
function isKeyTail(words: readonly string[]): boolean {
  return /(?:^| )(?:ACCESS KEY ID|ACCESSKEY ID|SECRET KEY BASE)$/.test(words.join(' '));
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => (/^\d+$/.test(word) ? word : word.replace(/\d+$/, '')));
}
