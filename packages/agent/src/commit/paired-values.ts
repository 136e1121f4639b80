// Finds credentials whose name is not joined with the value by a sign: `ENV NAME value` of a Dockerfile, a pair `name:` and
// `value:` of Kubernetes, a line of .netrc, `-p` of a command.

import type { CredentialKind } from './credential-name.ts';
import { credentialKind } from './credential-name.ts';
import { isWholeCode } from './code-expression.ts';
import { gradeOf, isExpression, isPath, isPlaceholder, isRandom, isReference } from './credential-value.ts';
import type { BarePlace } from './read-value.ts';
import { readValue } from './read-value.ts';
import type { SecretShape } from './shape.ts';

/** What stands before a value. A group `id` is the name of the value; without it the value is a password. */
interface PairRule {
  readonly hint: RegExp;
  readonly lead: RegExp;
  /** What else may stand behind a bare value on its line. Other text by default. */
  readonly place?: BarePlace;
}

const BREAK = String.raw`(?:\s|\\{1,15}[nrt])`;
const QUOTE = String.raw`(?:\\{0,15}["'])?`;
const COLON = String.raw`${QUOTE}[ \t]{0,4}:[ \t]{0,4}`;
/** The arguments of a command before the flag. */
const ARGUMENTS = String.raw`(?:[ \t][^\n|;&"'\x60]{0,200}?)?[ \t]`;

const RULES: readonly PairRule[] = [
  {
    hint: /ENV[ \t]/,
    lead: /(?:^|\n|\\n)[ \t]{0,16}(?:ONBUILD[ \t]{1,4})?ENV[ \t]{1,8}(?<id>[A-Za-z_]\w{2,63})[ \t]{1,8}(?=[^\s=])/g,
    place: 'alone',
  },
  {
    hint: /name\\{0,15}["']?[ \t]{0,4}:/,
    lead: new RegExp(
      `\\bname${COLON}${QUOTE}(?<id>[A-Za-z_][\\w.-]{2,63})${QUOTE}[ \\t]{0,4},?${BREAK}{0,64}${QUOTE}value${COLON}`,
      'g',
    ),
  },
  {
    hint: /machine/,
    lead: new RegExp(
      `(?:(?<!\\w)|(?<=\\\\n))machine${BREAK}{1,16}[\\w.:-]{1,128}${BREAK}{1,16}login${BREAK}{1,16}[^\\s\\\\"']{1,128}${BREAK}{1,16}password[ \\t]{1,16}`,
      'g',
    ),
    place: 'alone',
  },
  {
    hint: /[ \t]-p/,
    lead: new RegExp(
      `(?:(?:docker|podman|nerdctl|buildah|oras|registry)[ \\t]{1,4}login${ARGUMENTS}-p[ \\t=]{1,4}|sshpass[ \\t]{1,4}-p[ \\t]{0,4}|(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mariadb-admin)${ARGUMENTS}-p(?=\\S))`,
      'g',
    ),
  },
];

/** Every such value in the text that is no placeholder. */
export function findPairedValues(text: string): readonly SecretShape[] {
  return RULES.flatMap((rule) => (rule.hint.test(text) ? valuesBehind(text, rule) : []));
}

function valuesBehind(text: string, { lead, place = 'text' }: PairRule): readonly SecretShape[] {
  const found: SecretShape[] = [];
  for (const { 0: before, index, groups } of text.matchAll(lead)) {
    const name = groups?.['id'] ?? 'password';
    const kind = credentialKind(name);
    if (kind === undefined) continue;
    const { start, end, quote } = readValue(text, index + before.length, place);
    const value = text.slice(start, end);
    const isStrict = groups?.['id'] === undefined || /^[A-Z][A-Z0-9_]*$/.test(name);
    const isCode = isStrict ? isPath(value) || isWholeCode(text, start) : isExpression(value);
    if (isCredential(value, { name, kind, isStrict, isBare: quote === '', isCode }))
      found.push({ from: index, start, end, name });
  }
  return found;
}

/** The place of a value. */
interface ValuePlace {
  readonly name: string;
  readonly kind: CredentialKind;
  /** Nothing but a credential is written there. */
  readonly isStrict: boolean;
  readonly isBare: boolean;
  /** Read as a bare value, it is code. */
  readonly isCode: boolean;
}

function isCredential(value: string, { name, kind, isStrict, isBare, isCode }: ValuePlace): boolean {
  if (value.length < 4 || /\\[nrt]/.test(value) || kind === 'login') return false;
  if (isPlaceholder(value, name) || isReference(value) || (isBare && isCode)) return false;
  if (kind === 'key') return isStrict && isRandom(value);
  if (isStrict) return kind === 'password' || !/\s/.test(value);
  const grade = gradeOf(value);
  return (
    !isBare && !/\s/.test(value) && (kind === 'password' ? grade !== 'plain' : grade === 'mixed' && value.length >= 8)
  );
}
