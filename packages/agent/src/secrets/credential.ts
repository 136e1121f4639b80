// Credentials by their names and by their values: a name (`DB_PASSWORD=`, `"apiKey":`) announces a kind of credential, and
// decides how much a value must look like one. See docs/decisions/2026-11-22-secret-shapes.md.

/** Offsets into the text, in UTF-16 units. */
export interface SecretShape {
  /** Where that begins by which the secret was found, such as its name. At most `start`. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** The rule or the name that found it: `github`, `DB_PASSWORD`. */
  readonly name: string;
}

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

// Grades a value next to a telling name: a placeholder, a reference to a value elsewhere, or words of a language. Any other
// value is taken for a credential. See docs/decisions/2026-11-22-secret-shapes.md.

/**
 * How a value reads. `plain`: words (`created_at_desc`); `worded`: words with a short number (`hunter2`, `v1.2.3`);
 * `digits`: digits alone; `mixed`: anything else.
 */
type Grade = 'plain' | 'worded' | 'digits' | 'mixed';

/** Characters of a value that are searched for a part that is filled in, and that are read as words. */
const SEARCHED = 256;
const READ = 64;

/** Words that stand in documentation and tests in the place of a value. */
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

/** A whole value that stands for another: a variable, a template, a format, something in brackets. */
const STANDS_FOR =
  /^(?:\$[A-Za-z_]\w*|\$[\d@*#?]|%[A-Za-z_]\w*%|(?:[^A-Za-z0-9]*%[a-z])+[^A-Za-z0-9]*|%\(\w+\)s|\{[^{}]*\}|<[A-Za-z][\w -]*|<[^<>]*>|\[[^[\]]*\]|\([^()]*\)|[:@!][A-Za-z_.]+|__\w+__|@@\w+@@|#\w*)$/;
/** A part that shows that the value is made or filled in elsewhere. */
const FILLED_IN =
  /\$\{|\$\(|\{\{|<%|#\{|\.\.\.|…|x{4}|X{4}|\*{3}|\[secret:|changeme|placeholder|redacted|example|process\.env|import\.meta|os\.(?:environ|getenv)|(?:^|[^a-z0-9])(?:your|change[-_ ]me|replace[-_ ]me)(?:[^a-z0-9]|$)/i;
/** Digits and letters in the order of the keyboard or the alphabet. */
const COUNTED = /^(?:0?123456?7?8?9?0?|abcd?e?f?|qwerty)$/i;

/**
 * Whether the value plainly stands in the place of a credential: empty, `****`, `<your-key>`, `${VAR}`, `%VAR%`, `changeme`,
 * `test`, words of the name itself.
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

/** Whether the value says where a secret lies or how it looks: an address, a path of words, a reference to a vault, a regular expression. */
export function isReference(whole: string): boolean {
  const value = whole.slice(0, SEARCHED);
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|arn:|vault:|ssm:|secret:|file:|env:|op:|ENC\[)/i.test(value)) return true;
  if (/\(\?[:=!<]|\[\^|\\[wWdDsS][+*]/.test(value)) return true;
  return /^(?:~|\.{1,2})?\/|^[A-Za-z]:\\/.test(value) && gradeOf(value.replaceAll('\\', '/').slice(1)) !== 'mixed';
}

/** Whether the bare value is an expression of code: a call, an index, a path of names. */
export function isExpression(whole: string): boolean {
  const value = whole.slice(0, SEARCHED);
  return /^[:([{]|`/.test(value) || /^[A-Za-z_$!&*][\w$.:>?!-]*[([{]/.test(value) || isPath(value);
}

/** Whether the value is a path of names, as code has it: `settings.api_key2`. */
export function isPath(value: string): boolean {
  const path = /^&?[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+[!?]?$/.test(value);
  return path && gradeOf(/^&?([\w$]*)/.exec(value)?.[1] ?? '') !== 'mixed';
}

/** How the value reads, by its first characters. */
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

/** Letters that could be words of a language: not too long, of few capitals, not of consonants alone. */
function isWord(chunk: string): boolean {
  if (!/^\p{L}+$/u.test(chunk)) return false;
  const parts = chunk.split(/(?<=[a-z])(?=[A-Z])/);
  return (
    parts.every(({ length }) => length <= 24) &&
    parts.length <= Math.max(1, chunk.length / 3) &&
    !/[bcdfghjklmnpqrstvwxz]{6}/i.test(chunk)
  );
}

/** Words with a short number behind each (`hunter2`, `Sha256Digest`), a short number, or one of a version (`v1`). */
function isNumbered(chunk: string): boolean {
  if (/^(?:[A-Za-z]?\d{1,4}|\d{1,4}[A-Za-z]{1,2})$/.test(chunk)) return true;
  if (/^\p{Lu}+\d{0,5}$/u.test(chunk)) return isWord(chunk.replace(/\d+$/, ''));
  return /^[A-Z]?[a-z]{2,}\d{0,5}(?:[A-Z][a-z]{2,}\d{0,5}){0,4}$/.test(chunk) && chunk.length <= 24;
}

/** Whether the value is `user:password` in base64, as `Basic` and the file of Docker hold it. */
export function isLoginInBase64(value: string): boolean {
  if (!/^[A-Za-z0-9+/]{8,4096}={0,2}$/.test(value)) return false;
  return /^[\x21-\x39\x3b-\x7e]{1,256}:[\x20-\x7e]{3,}$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

/** Whether the value could be drawn by chance: 20 characters or more, with capitals, small letters and digits. */
export function isRandom(value: string): boolean {
  return (
    /^[A-Za-z0-9+/=_-]{20,}$/.test(value) &&
    [/[A-Z]/, /[a-z]/, /\d/].every((kind) => kind.test(value)) &&
    gradeOf(value) === 'mixed'
  );
}
