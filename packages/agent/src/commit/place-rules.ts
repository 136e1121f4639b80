// Credentials at places that hold nothing else: the frame of a private key, an address, a scheme of HTTP, a flag of curl.
// The rules are data, bounded in length as those of `token-rules.ts`.

import { isLoginInBase64, isPlaceholder } from './credential-value.ts';
import type { RuleMatch, SecretRule } from './token-rules.ts';
import { isMixed } from './token-rules.ts';

/** Rules that are tried in a text that the hint matches, which is cheap to search for. */
export interface PlaceRules {
  readonly hint: RegExp;
  readonly rules: readonly SecretRule[];
}

const BEGIN = String.raw`-----BEGIN ?[A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----`;
const END = String.raw`-----END ?[A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----`;
/**
 * A quote that does not end a string of JSON: a mask across such an end would leave no JSON. Nothing that may close a string
 * stands behind it, or it is escaped. The two exclude each other, so a search never tries both.
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

/** What separates the columns of a line: of a table of text, of CSV. */
const COLUMN = String.raw`(?:[\t ,;|]|\\{1,15}t|\\{0,15}"){1,12}`;
/** An access key id of AWS, and up to two columns behind it: the date, the state. */
const KEY_ID = `(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))A(?:KI|SI)A[A-Z0-9]{16}(?:${COLUMN}[^\\s,;|"\\\\]{1,40}){0,2}?${COLUMN}`;
const AWS_SECRET = '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])';

/** Characters of a command that are searched for the word `curl`. */
const COMMAND = 600;

/** Rules for places. Where two find the same, the first one gives the name. */
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
        // The beginning of a key, as `head` shows it.
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
        // A password with a slash in it, where no path could be meant.
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
    // `aws --output text`, and the CSV of the console: the columns have no names next to them.
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
    // `aws --output table`.
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
      // In quotes a password may hold spaces and the other quote.
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

/** A digest in hexadecimal digits may stand in a table too. */
function isOfAws(found: RuleMatch): boolean {
  return isMixed(found) && !/^[0-9a-f]+$/i.test(found.secret);
}

/** A frame around `...` or around words is an example. */
function holdsKeyMaterial({ secret }: RuleMatch): boolean {
  return /[A-Za-z0-9+/=]{40}/.test(secret);
}

/** Not the port of an address, not the name of the user again, as in the defaults of databases. */
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
