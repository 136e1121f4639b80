// Rules for tokens that are recognised by their own form, with or without a name before them. The rules are data. Each
// expression is limited in length and is only tried at runs of token characters. The search time is therefore
// proportional to the length of the text.

import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretLintRuleContext, SecretLintSourceCode } from '@secretlint/types';
import type { SecretShape } from './credential.ts';
import { gradeOf, isLoginInBase64, isPlaceholder } from './credential.ts';

/** Rule that finds secrets of one form. */
export interface SecretRule {
  /** Name of the secret in the placeholder. */
  readonly name: string;
  /**
   * Pattern of the secret. If it has a group `secret`, only that group is replaced. In this case, a group `lead` must
   * match all text of the match before the group `secret`.
   */
  readonly expression: RegExp;
  /** Returns true if a match is a secret. Default: every match is a secret. */
  readonly isSecret?: (found: RuleMatch) => boolean;
  /** Number of characters before the match that `isSecret` reads. Default: 0. */
  readonly looksBack?: number;
}

interface RuleMatch {
  readonly text: string;
  readonly index: number;
  readonly lead: string;
  readonly secret: string;
}

/** Every token of `TOKEN_RULES` contains an unbroken run of at least this number of letters, digits, `_` and `-`. */
export const SHORTEST_RUN = 20;

/** Matches every text that contains a match of a rule in `TOKEN_RULES`. This cheap check runs before the rules. */
export const TOKEN_HINT: RegExp =
  /sk-|AIza|GOCSPX|ya29|gh[opsur]_|github_pat|gl[a-z]{2,5}-|xox|xapp|k_(?:live|test)|whsec|npm_|A(?:KIA|SIA|BIA|CCA)|eyJ|hf_|pypi-|GR1348941|xai-|tgp_v/;

/**
 * Matches a position where a token can begin. This position is not inside a word. Some texts end in a letter or digit
 * that does not belong to a word: a string escape (`\n`, `\u0022`, `\x20`), a URL escape (`%3D`) and a terminal colour
 * (`[31m`).
 */
const BEGINS = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\(?:[abefnrtv0]|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|x[0-9A-Fa-f]{2}|[0-3][0-7]{2})|%(?:25)?[0-9A-Fa-f]{2}|\[[\d;:?]{0,24}[A-Za-z]))`;

function atBegin(form: string): RegExp {
  return new RegExp(BEGINS + form, 'g');
}

/** Rules for tokens. If two rules find the same token, the first rule gives the name. */
export const TOKEN_RULES: readonly SecretRule[] = [
  { name: 'anthropic', expression: /sk-ant-[a-z]{2,10}\d{2}-[A-Za-z0-9_-]{20,300}/g },
  { name: 'openrouter', expression: /sk-or-v\d-[A-Za-z0-9]{32,128}/g },
  { name: 'openai', expression: /sk-(?:proj|svcacct|admin|service)-[A-Za-z0-9_-]{20,300}/g, isSecret: isMixed },
  { name: 'openai', expression: atBegin('sk-[A-Za-z0-9]{32,128}'), isSecret: isMixed },
  { name: 'google', expression: /AIza[A-Za-z0-9_-]{35,64}/g },
  { name: 'google', expression: /GOCSPX-[A-Za-z0-9_-]{20,64}/g },
  { name: 'google', expression: /ya29\.[A-Za-z0-9_-]{20,1000}/g },
  {
    name: 'github',
    expression: /gh[opsur]_(?:\d{1,20}_eyJ[\w-]{1,1000}\.[\w-]{1,10000}\.[\w-]{1,1000}|[A-Za-z0-9]{36,255})/g,
  },
  { name: 'github', expression: /github_pat_[A-Za-z0-9_]{22,255}/g },
  {
    name: 'gitlab',
    expression:
      /gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[\w-]{20,320}(?:\.[a-z0-9]{2}\.[a-z0-9]{9})?/g,
  },
  { name: 'slack', expression: /xox[abceoprs](?:\.xox[abceoprs])?-[A-Za-z0-9-]{15,400}/g, isSecret: isMixed },
  { name: 'slack', expression: /xapp-\d-[A-Za-z0-9-]{15,400}/g },
  { name: 'slack', expression: /xoxd-(?:[\w+/=.-]|%[0-9A-Fa-f]{2}){20,400}/g, isSecret: isMixed },
  // After a backslash, `n` and `r` may belong to an escape such as `\n`. They are not masked. Without them, the
  // remaining backslash would make a JSON string invalid.
  { name: 'stripe', expression: /(?:s|(?<!\\)r)k_(?:live|test)_[A-Za-z0-9]{16,255}/g },
  { name: 'stripe', expression: /(?<lead>(?<=\\)r)(?<secret>k_(?:live|test)_[A-Za-z0-9]{16,255})/g },
  { name: 'stripe', expression: /whsec_[A-Za-z0-9+/=]{24,128}/g },
  { name: 'npm', expression: /(?<!\\)npm_[A-Za-z0-9]{36,128}/g },
  { name: 'npm', expression: /(?<lead>(?<=\\)n)(?<secret>pm_[A-Za-z0-9]{36,128})/g },
  { name: 'pypi', expression: /pypi-AgE[A-Za-z0-9_-]{40,1000}/g },
  { name: 'huggingface', expression: atBegin('hf_[A-Za-z0-9]{30,64}'), isSecret: isMixed },
  { name: 'xai', expression: atBegin('xai-[A-Za-z0-9]{60,128}'), isSecret: isMixed },
  { name: 'together', expression: atBegin(String.raw`tgp_v\d_[\w-]{40,64}`), isSecret: isMixed },
  { name: 'gitlab', expression: /GR1348941[A-Za-z0-9_-]{20,50}/g },
  {
    name: 'aws',
    expression: atBegin('A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
    isSecret: ({ secret }) => !isPlaceholder(secret),
  },
  {
    name: 'jwt',
    expression: atBegin(
      String.raw`eyJ[\w-]{17,2000}\.[\w-]{4,10000}\.[\w-]{10,2000}(?:\.[\w-]{10,1000}\.[\w-]{10,200})?`,
    ),
  },
];

/** Returns true if the value is not a placeholder and does not consist of words. */
function isMixed({ secret }: Pick<RuleMatch, 'secret'>): boolean {
  return !isPlaceholder(secret) && gradeOf(secret) === 'mixed';
}

// Rules for places that contain only credentials: the frame of a private key, a URL, an HTTP authorization scheme, a
// flag of curl. Each rule is limited in length.

/** Rules that are tried only if the text matches `hint`. The search for `hint` is fast. */
interface PlaceRules {
  readonly hint: RegExp;
  readonly rules: readonly SecretRule[];
}

const BEGIN = String.raw`-----BEGIN ?[A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----`;
const END = String.raw`-----END ?[A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----`;
/**
 * Matches a quote that does not end a JSON string. If the end of a string were masked, the JSON would be invalid.
 * Either the quote is followed by none of `,`, `}`, `]` and `:`, or the quote is escaped. The two alternatives exclude
 * each other, so a search never tries both.
 */
const QUOTE = String.raw`"(?:(?![,}\]:]|$)|(?=[,}\]:]|$)(?<=(?<!\\)(?:\\\\){0,8}\\"))`;
const IN_FRAME = String.raw`[^-"]|-(?!----)|${QUOTE}`;
const BREAK = String.raw`(?:\s|\\{1,7}[nrt]){1,4}`;
const HEADER = `${BREAK}[A-Za-z-]{1,20}: ?[^\\n\\\\]{0,80}`;
const URL_USER = String.raw`[^\s:/?#@"'\`<>\\]{0,256}`;
const URL_WORD = String.raw`[^\s@"'\`<>\\`;
const HOST_AHEAD = String.raw`(?=[\w[$%{.-])`;
const DATABASES =
  'redis|rediss|amqps?|postgres|postgresql|mysqlx?|mariadb|mongodb|mongodb\\+srv|mqtts?|smtps?|ftps?|sftp|ldaps?|nats|mssql|sqlserver|clickhouse';
const CURL_FLAG = String.raw`\s(?:-[A-Za-z]{0,12}?[uU]|--user|--proxy-user)[ \t=]{0,4}`;

/** Matches the separator between columns of a line in a text table or a CSV file. */
const COLUMN = String.raw`(?:[\t ,;|]|\\{1,15}t|\\{0,15}"){1,12}`;
/** Matches an AWS access key id and up to two columns after it, such as the date and the state. */
const KEY_ID = `(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))A(?:KI|SI)A[A-Z0-9]{16}(?:${COLUMN}[^\\s,;|"\\\\]{1,40}){0,2}?${COLUMN}`;
const AWS_SECRET = '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])';

/** Number of characters before the flag that are searched for `curl`, `wget` or `xh`. */
const COMMAND = 600;

/** Rules for places that contain only credentials. If two rules find the same secret, the first rule gives the name. */
export const PLACE_RULES: readonly PlaceRules[] = [
  {
    hint: /-----BEGIN ?[A-Z]/,
    rules: [
      {
        name: 'privatekey',
        expression: new RegExp(`${BEGIN}(?:${IN_FRAME}){0,16000}${END}`, 'g'),
        isSecret: holdsKeyMaterial,
      },
      {
        // Key without its end, as `head` prints it.
        name: 'privatekey',
        expression: new RegExp(
          `${BEGIN}(?:${HEADER}){0,4}(?:${BREAK}[A-Za-z0-9+/=]{40,100}){1,110}(?:${BREAK}[A-Za-z0-9+/=]{1,100}(?![^\\s\\\\"'])(?! ))?`,
          'g',
        ),
        isSecret: holdsKeyMaterial,
      },
    ],
  },
  {
    hint: /:\/\/[^\s"'`<>\\]{0,600}@/,
    rules: [
      { name: 'xoauth', expression: /(?<lead>:\/\/)(?<secret>[^\s:/@"'`<>\\]{8,256}):x-oauth-basic@/g },
      {
        name: 'url-password',
        expression: new RegExp(`(?<lead>://${URL_USER}:)(?<secret>[^\\s/"'\`<>\\\\]{1,512})@${HOST_AHEAD}`, 'g'),
        isSecret: isPasswordOfUrl,
      },
      {
        // Password that contains a slash. It is found only in URL schemes in which the text before `@` cannot be a
        // path.
        name: 'url-password',
        expression: new RegExp(
          `(?<lead>://(?<=(?:${DATABASES})://)${URL_USER}:)(?<secret>${URL_WORD}]{1,512}(?:@${URL_WORD}/]{1,256}){0,3})@${HOST_AHEAD}`,
          'g',
        ),
        isSecret: isPasswordOfUrl,
      },
    ],
  },
  {
    // Output of `aws --output text` and the CSV file of the AWS console. Their columns have no names.
    hint: /A[KS]IA[A-Z0-9]{16}[\t ,;|"\\]/,
    rules: [
      {
        name: 'aws-secret',
        expression: new RegExp(`(?<lead>${KEY_ID})(?<secret>${AWS_SECRET})`, 'g'),
        isSecret: isOfAws,
      },
      {
        name: 'aws-session',
        expression: new RegExp(`(?<lead>${KEY_ID}${AWS_SECRET}${COLUMN})(?<secret>[A-Za-z0-9/+]{100,4000}={0,2})`, 'g'),
        isSecret: isOfAws,
      },
    ],
  },
  {
    // Output of `aws --output table`.
    hint: /(?:SecretAccessKey|SessionToken)[ \t]{0,64}[|│]/,
    rules: [
      {
        name: 'aws-secret',
        expression: new RegExp(`(?<lead>SecretAccessKey[ \\t]{0,64}[|│][ \\t]{0,64})(?<secret>${AWS_SECRET})`, 'g'),
        isSecret: isOfAws,
      },
      {
        name: 'aws-session',
        expression: /(?<lead>SessionToken[ \t]{0,64}[|│][ \t]{0,64})(?<secret>[A-Za-z0-9/+]{100,4000}={0,2})/g,
        isSecret: isOfAws,
      },
    ],
  },
  {
    hint: /Bearer/,
    rules: [
      {
        name: 'bearer',
        expression: /(?<lead>Bearer[ \t]{1,4})(?<secret>[\w+/.~-]{16,12000}={0,2})/g,
        isSecret: isMixed,
      },
    ],
  },
  {
    hint: /Basic/,
    rules: [
      {
        name: 'basic',
        expression: /(?<lead>Basic[ \t]{1,4})(?<secret>[A-Za-z0-9+/]{8,4000}={0,2})/g,
        isSecret: ({ secret }) => isLoginInBase64(secret),
      },
    ],
  },
  {
    hint: /\s-(?:[A-Za-z]{0,12}[uU]|-user|-proxy-user)/,
    rules: [
      `(?:\\\\{0,7}["'])?[^\\s:"'\`\\\\$]{1,256}:)(?<secret>[^\\s"'\`\\\\]{1,512})`,
      // Inside quotes a password may contain spaces and the other kind of quote.
      `'[^:'\\n]{1,256}:)(?<secret>(?:[^'"\\n\\\\]|\\\\[^nr\\n]|${QUOTE}){1,256})(?=')`,
      `"[^:"\\n$]{1,256}:)(?<secret>[^"\\n\\\\]{1,512})(?=")`,
    ].map((login) => ({
      name: 'curl-user',
      expression: new RegExp(`(?<lead>${CURL_FLAG}${login}`, 'g'),
      isSecret: isLoginOfCurl,
      looksBack: COMMAND,
    })),
  },
];

/**
 * Returns true if the match is an AWS secret. The same table may contain a hexadecimal digest, which is not a secret.
 */
function isOfAws(found: RuleMatch): boolean {
  return isMixed(found) && !/^[0-9a-f]+$/i.test(found.secret);
}

/** Returns true if the frame contains key material. If the frame contains only `...` or words, it is an example. */
function holdsKeyMaterial({ secret }: RuleMatch): boolean {
  return /[A-Za-z0-9+/=]{40}/.test(secret);
}

/**
 * Returns true if the match is a password. The port of a URL is not a password. A repetition of the user name, as in
 * database defaults, is not a password either.
 */
function isPasswordOfUrl({ lead, secret }: RuleMatch): boolean {
  const user = lead.slice('://'.length, -1);
  return (
    secret !== user && secret !== 'x-oauth-basic' && !/^\d{1,5}(?:[/?#,]|$)/.test(secret) && !isPlaceholder(secret)
  );
}

function isLoginOfCurl({ text, index, lead, secret }: RuleMatch): boolean {
  const user = /([^\s"'=]*):$/.exec(lead)?.[1];
  if (secret === user || isPlaceholder(secret)) return false;
  const [command = ''] = text
    .slice(Math.max(0, index - COMMAND), index)
    .split(/[|;]|(?<!\\\r?)\n/)
    .slice(-1);
  return /(?:\b|\\[nrt])(?:curl|wget|xh)\b/.test(command);
}

// Finds tokens of well-known formats by the rules of secretlint, which follow the changes of the providers. The rules
// run without secretlint's engine for two reasons. The engine leaves performance marks after each run. Its comment rule
// lets a comment in the text (`secretlint-disable`) switch off all other rules.

type TokenRule = (typeof rules)[number];

const PREFIX = '@secretlint/secretlint-rule-';
const SWITCHES_OFF = `${PREFIX}filter-comments`;

/**
 * Rules that do not run, because our own rules find the same secrets with the correct range. `aws` and `npm` report a
 * range that begins at the name but is only as long as the value. `basicauth` and `database-connection-string` report
 * the whole URL and the following text up to the next white space.
 */
const REPLACED: ReadonlySet<string> = new Set(['aws', 'npm', 'basicauth', 'database-connection-string']);

/** Names of the library rules that run. */
export const SHAPES: readonly string[] = rules.filter(isFinder).map(nameOf);

/** Returns every match of the library rules in the text, in the order of the rules. Matches may overlap. */
export async function findByLibrary(text: string): Promise<readonly SecretShape[]> {
  const found: SecretShape[] = [];
  const source = sourceOf(text);
  for (const rule of rules) {
    if (!isFinder(rule)) continue;
    const name = nameOf(rule);
    const context = contextOf(([start, end]) => found.push({ from: start, start, end, name }));
    await rule.create(context, {}).file?.(source);
  }
  return found;
}

function isFinder(rule: TokenRule): boolean {
  return rule.meta.id !== SWITCHES_OFF && !REPLACED.has(nameOf(rule));
}

function nameOf({ meta }: TokenRule): string {
  return meta.id.slice(PREFIX.length);
}

function contextOf(report: (range: readonly [number, number]) => void): SecretLintRuleContext {
  return {
    sharedOptions: {},
    createTranslator: () => (messageId) => ({ message: '', messageId: String(messageId), data: undefined }),
    report: ({ range }) => report(range),
    ignore: () => undefined,
  };
}

/** Returns the text as a source that is not a file. The rules for file types then find nothing to read. */
function sourceOf(content: string): SecretLintSourceCode {
  return {
    hasBOM: false,
    content,
    filePath: undefined,
    physicalFilePath: undefined,
    contentType: 'text',
    ext: '.txt',
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: refuseLocation,
    rangeToLocation: refuseLocation,
    positionToIndex: refuseLocation,
    indexToPosition: refuseLocation,
  };
}

function refuseLocation(): never {
  throw new TypeError('a rule of secretlint requested lines and columns, which masking does not compute');
}
