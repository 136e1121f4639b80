// Recognises credentials by their names and values. A name (`DB_PASSWORD=`, `"apiKey":`) indicates a kind of
// credential. The kind decides how similar to a credential a value must look. See
// docs/decisions/2026-11-22-secret-shapes.md.

/** Place of a secret in a text. Offsets count UTF-16 units. */
export interface SecretShape {
  /** Offset of the text by which the secret was found, such as its name. It is equal to `start` or smaller. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** Rule or name by which the secret was found: `github`, `DB_PASSWORD`. */
  readonly name: string;
}

/**
 * Kind of credential that a name indicates. The value of a `password` may be a word. The value of a `token` is never a
 * word. The value of a `login` is `user:password` in base64. `key` is a weak sign (`SORT_KEY`), so its value must look
 * random.
 */
export type CredentialKind = 'password' | 'token' | 'login' | 'key';

/** Words at the end of a name that do not change its kind: `API_KEY_PROD`, `TOKEN_2`. */
const STAGE = /^(?:\d*|PROD|PRODUCTION|DEV|DEVELOPMENT|STAGE|STAGING|TEST|TESTING|LIVE|OLD|NEW|CURRENT|BACKUP)$/;

/** Words that mark a token as public, or as a position in a list of results: `PUBLIC_KEY`, `NEXT_PAGE_TOKEN`. */
const HARMLESS =
  /^(?:PUBLIC|PUBLISHABLE|NEXT|PREV|PREVIOUS|PAGE|PAGINATION|CONTINUATION|CURSOR|SYNC|CANCEL|CANCELLATION)$/;

/** Words before PASS that show a different meaning, such as a pass of a renderer or a compiler. */
const STEP =
  /^(?:RENDER|SHADOW|DEPTH|BLOOM|BLUR|COLOR|COLOUR|GEOMETRY|LIGHT|LIGHTING|FORWARD|DEFERRED|COMPUTE|SHADER|OUTLINE|OPAQUE|TRANSPARENT|PRE|POST|FIRST|SECOND|THIRD|SINGLE|MULTI|FINAL|LAST|OPTIMIZATION|COMPILER|LOW|HIGH|BAND|BY|BOARDING)$/;

const PASSWORD = /^(?:\w*(?:PASSWORD|PASSWD|PASSPHRASE|PASSCODE)S?|PWD)$/;
const TOKEN = /^(?:\w*(?:TOKEN|SECRET)|(?:API|ACCESS|SECRET|PRIVATE|AUTH)KEYS?|SECRETS|CREDENTIALS?|CREDS)$/;

/** Words before KEY. With such a word, the name indicates a credential. */
const KEY_OF =
  /^(?:\w*API|ACCESS|SECRET|PRIVATE|AUTH|ACCOUNT|ADMIN|APP|CLIENT|CONSUMER|DEPLOY|ENCRYPTION|LICENSE|MASTER|SERVICE|SHARED|SIGNING|SUBSCRIPTION|WEBHOOK)$/;

/**
 * Returns the kind that the last words of a name indicate: `AWS_SECRET_ACCESS_KEY`, `x-api-key`, `clientSecret`,
 * `PGPASSWORD`. Returns `undefined` if the name indicates no credential: `max_tokens`, `PASSWORD_FILE`, `tokenType`,
 * `key`.
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

/**
 * Returns true for names such as `ACCESS_KEY_ID` and `SECRET_KEY_BASE`. They indicate a token although their last word
 * is not KEY.
 */
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

// Grades a value after a name that indicates a credential. A value can be a placeholder, a reference to a value
// elsewhere, or words of a language. Any other value is treated as a credential. See
// docs/decisions/2026-11-22-secret-shapes.md.

/**
 * Grade of a value. `plain`: words (`created_at_desc`). `worded`: words with a short number (`hunter2`, `v1.2.3`).
 * `digits`: digits only. `mixed`: anything else.
 */
type Grade = 'plain' | 'worded' | 'digits' | 'mixed';

/**
 * `SEARCHED` is the number of characters of a value that are searched for a placeholder. `READ` is the number of
 * characters that are read as words.
 */
const SEARCHED = 256;
const READ = 64;

/** Words that documentation and tests use in place of a real value. */
const GENERIC: ReadonlySet<string> = new Set(
  (
    'a an the my me your our some any this that here it in is not no yes on off of for with to from and or if set unset none null nil ' +
    'undefined true false empty default optional required auto value values string text str number type object any unknown ' +
    'insert replace change changeit changeme enter put add use todo tbd fixme placeholder redacted hidden masked removed ' +
    'test tests testing dummy fake mock example sample demo foo bar baz qux abc xyz xxx sk pk ' +
    'secret secrets super password passwd passwort pass pwd passphrase token tokens key keys api apikey access auth authorization ' +
    'bearer basic credential credentials user username name login admin administrator root guest id client service account app ' +
    'private public old new real actual invalid wrong bad valid correct good expired missing current hash hashed ' +
    'postgres postgresql mysql mariadb redis rabbitmq mongo mongodb minio local localhost dev development prod production staging db database'
  ).split(' '),
);

/**
 * Matches a value that is completely a reference to another value: a variable, a template, a format, or text in
 * brackets.
 */
const STANDS_FOR =
  /^(?:\$[A-Za-z_]\w*|\$[\d@*#?]|%[A-Za-z_]\w*%|(?:[^A-Za-z0-9]*%[a-z])+[^A-Za-z0-9]*|%\(\w+\)s|\{[^{}]*\}|<[A-Za-z][\w -]*|<[^<>]*>|\[[^[\]]*\]|\([^()]*\)|[:@!][A-Za-z_.]+|__\w+__|@@\w+@@|#\w*)$/;
/** Matches a part of a value. This part shows that the real value is created or filled in elsewhere. */
const FILLED_IN =
  /\$\{|\$\(|\{\{|<%|#\{|\.\.\.|…|x{4}|X{4}|\*{3}|\[secret:|changeme|placeholder|redacted|example|process\.env|import\.meta|os\.(?:environ|getenv)|(?:^|[^a-z0-9])(?:your|change[-_ ]me|replace[-_ ]me)(?:[^a-z0-9]|$)/i;
/** Matches digits and letters in the order of the keyboard or the alphabet. */
const COUNTED = /^(?:0?123456?7?8?9?0?|abcd?e?f?|qwerty)$/i;

/**
 * Returns true if the value is clearly a placeholder for a credential: empty, `****`, `<your-key>`, `${VAR}`, `%VAR%`,
 * `changeme`, `test`, or words of the name itself.
 */
export function isPlaceholder(value: string, name: string = ''): boolean {
  const text = value.slice(0, SEARCHED).trim();
  if (!/[\p{L}\p{N}]/u.test(text) || /^(.)\1*$/u.test(text)) return true;
  if (STANDS_FOR.test(text) || FILLED_IN.test(text)) return true;
  if (/[^A-Za-z0-9_\-. /:']/.test(text)) return false;
  const own = new Set(lettersIn(name));
  const words = text.slice(0, READ).split(/[^A-Za-z0-9]+/);
  return /[A-Za-z]/.test(text) && words.every((part) => isGeneric(part, own));
}

function isGeneric(part: string, own: ReadonlySet<string>): boolean {
  if (/^\d{0,4}$/.test(part) || COUNTED.test(part)) return true;
  const [, letters, digits] = /^([A-Za-z]+)(\d*)$/.exec(part) ?? [];
  if (letters === undefined || digits === undefined) return false;
  if (digits.length > 4 && !COUNTED.test(digits)) return false;
  return lettersIn(letters).every((word) => GENERIC.has(word) || own.has(word)) || own.has(letters.toLowerCase());
}

function lettersIn(name: string): readonly string[] {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.filter((word) => word !== '');
}

/**
 * Returns true if the value describes the place or the form of a secret: a URL, a path of words, a reference to a
 * vault, or a regular expression.
 */
export function isReference(whole: string): boolean {
  const value = whole.slice(0, SEARCHED);
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|arn:|vault:|ssm:|secret:|file:|env:|op:|ENC\[)/i.test(value)) return true;
  if (/\(\?[:=!<]|\[\^|\\[wWdDsS][+*]/.test(value)) return true;
  return /^(?:~|\.{1,2})?\/|^[A-Za-z]:\\/.test(value) && gradeOf(value.replaceAll('\\', '/').slice(1)) !== 'mixed';
}

/** Returns true if the unquoted value is an expression of code: a call, an index access, or a path of names. */
export function isExpression(whole: string): boolean {
  const value = whole.slice(0, SEARCHED);
  return /^[:([{]|`/.test(value) || /^[A-Za-z_$!&*][\w$.:>?!-]*[([{]/.test(value) || isPath(value);
}

/** Returns true if the value is a path of names in code, such as `settings.api_key2`. */
export function isPath(value: string): boolean {
  const path = /^&?[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+[!?]?$/.test(value);
  return path && gradeOf(/^&?([\w$]*)/.exec(value)?.[1] ?? '') !== 'mixed';
}

/** Returns the grade of a value, judged by its first 64 characters. */
export function gradeOf(value: string): Grade {
  const text = value.slice(0, READ);
  if (/^\d+$/.test(text)) return 'digits';
  if (/[^\p{L}\p{N}\s_\-.,:/'’]/u.test(text)) return 'mixed';
  let grade: Grade = 'plain';
  for (const chunk of text.split(/[^\p{L}\p{N}]+/u)) {
    if (chunk === '' || isWord(chunk)) continue;
    if (!isNumbered(chunk)) return 'mixed';
    grade = 'worded';
  }
  return grade;
}

/**
 * Returns true for letters that could be words of a language: each word has at most 24 letters, few capitals, and no
 * run of six consonants.
 */
function isWord(chunk: string): boolean {
  if (!/^\p{L}+$/u.test(chunk)) return false;
  const parts = chunk.split(/(?<=[a-z])(?=[A-Z])/);
  return (
    parts.every(({ length }) => length <= 24) &&
    parts.length <= Math.max(1, chunk.length / 3) &&
    !/[bcdfghjklmnpqrstvwxz]{6}/i.test(chunk)
  );
}

/**
 * Returns true for three forms: words that each end in a short number (`hunter2`, `Sha256Digest`), a short number, and
 * a version number (`v1`).
 */
function isNumbered(chunk: string): boolean {
  if (/^(?:[A-Za-z]?\d{1,4}|\d{1,4}[A-Za-z]{1,2})$/.test(chunk)) return true;
  if (/^\p{Lu}+\d{0,5}$/u.test(chunk)) return isWord(chunk.replace(/\d+$/, ''));
  return /^[A-Z]?[a-z]{2,}\d{0,5}(?:[A-Z][a-z]{2,}\d{0,5}){0,4}$/.test(chunk) && chunk.length <= 24;
}

/**
 * Returns true if the value is `user:password` in base64, as in a `Basic` header and in Docker's configuration file.
 */
export function isLoginInBase64(value: string): boolean {
  if (!/^[A-Za-z0-9+/]{8,4096}={0,2}$/.test(value)) return false;
  return /^[\x21-\x39\x3b-\x7e]{1,256}:[\x20-\x7e]{3,}$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

/**
 * Returns true if the value looks randomly generated. It must have at least 20 characters, with capital letters, small
 * letters and digits. It must not consist of words with short numbers.
 */
export function isRandom(value: string): boolean {
  return (
    /^[A-Za-z0-9+/=_-]{20,}$/.test(value) &&
    [/[A-Z]/, /[a-z]/, /\d/].every((kind) => kind.test(value)) &&
    gradeOf(value) === 'mixed'
  );
}
