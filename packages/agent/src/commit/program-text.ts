// Recognises values of code, documents and settings that follow a telling name and hold no credential: the type of a
// field, a label of a form, a range of versions, a colour. See docs/decisions/2026-11-22-secret-shapes.md.

import type { CredentialKind } from './credential-name.ts';
import { gradeOf, isPlaceholder } from './credential-value.ts';

/** A value next to a name, and how the two are joined. */
export interface JoinedValue {
  readonly name: string;
  readonly kind: CredentialKind;
  /** `=`, `:`, `=>` and so on. */
  readonly joint: string;
  readonly value: string;
  /** No quotes stand around the value. */
  readonly isBare: boolean;
}

/** A name of a type that may be absent or must be given: `String!`, `[Token!]!`, `Auth.Token?`. */
const TYPE = /^(\[?[A-Z][A-Za-z]*(?:\.[A-Z][A-Za-z]*)*)!?\]?[!?]$/;
/** Last words of types that hold a password: any other word with `!` behind it may be one. */
const TEXT_TYPE =
  /(?:String|Str|Text|Varchar|Chars?|CharSequence|CharArray|Bytes?|Buffer|Data|Password|Passphrase|Passcode|Secret|Token|Hash|Input|Value|Field|Type|Scalar|ID)$/;

/** A rule of validation, such as those of Laravel: `required|min:8`. */
const VALIDATION =
  /^(?=(?:.{0,200}\|)?(?:required|nullable|sometimes|present|filled|bail|string|confirmed|(?:min|max|size|between):))[a-z_]{2,32}(?::[\w,./-]{1,64})?(?:\|[a-z_]{2,32}(?::[\w,./-]{1,64})?){1,12}$/;
/** Where a package comes from: `npm:@x/jwt@^1.2.3`. */
const PACKAGE_SOURCE = /^(?:npm|workspace|link|portal|patch|catalog|git|github|gitlab|bitbucket|jsr):/;
/** A range of versions with an operator before each: `>=3.8,<4.0`. */
const VERSIONS =
  /^(?:[\^~<>=!]{1,3} ?v?\d{1,6}(?:\.(?:\d{1,6}|[x*])){0,3}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?(?: ?,? ?(?:\|\|)? ?|$)){1,6}$/;
/** A range of numbers: `8..128`. */
const RANGE = /^\d{1,9}\.\.[.<=]?\d{1,9}$/;
/** A function of style sheets: `var(--blue-500)`. */
const STYLE =
  /^(?:var|rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|calc|env|theme|url|(?:linear|radial|conic)-gradient)\([^()]{0,200}(?:\([^()]{0,100}\)[^()]{0,100}){0,4}\)$/;
/** A name of a kind of token in an editor: `delimiter.curly#1`. */
const SCOPE = /^[a-z]{2,24}(?:[.-][a-z]{2,24}){1,6}#\w{1,8}$/;
/** An alias of YAML. No plain value of YAML begins so. */
const ALIAS = /^\*[A-Za-z][\w-]{0,63}$/;
/** Marks around a label: `Passwort*`, `密码（必填）`. */
const LABEL_MARKS = /[（）【】「」：！？＊。、，]/g;
/** A letter as JSON escapes it, also in a string in a string: `\u00f1`. */
const ESCAPED_LETTER = /\\{1,15}u([0-9A-Fa-f]{4})/g;

/** Longest value that is read as program text, in UTF-16 units. */
const LONGEST = 256;

/** Whether the value is a type, a rule, a label, a version, a range, a colour or an alias, not a credential. */
export function isProgramText({ name, kind, joint, value, isBare }: JoinedValue): boolean {
  if (value.length > LONGEST) return false;
  if (isBare) return RANGE.test(value) || (joint === ':' && (ALIAS.test(value) || isType(value, kind)));
  if (PACKAGE_SOURCE.test(value) || VERSIONS.test(value) || VALIDATION.test(value) || STYLE.test(value)) return true;
  return (kind !== 'password' && SCOPE.test(value)) || isLabel(value, name);
}

function isType(value: string, kind: CredentialKind): boolean {
  const name = TYPE.exec(value)?.[1]?.replace('[', '');
  return name !== undefined && gradeOf(name) === 'plain' && (kind !== 'password' || TEXT_TYPE.test(name));
}

/** A word of a form. `Passwort*` marks a field that must be filled in; before `!` only general words are no password. */
function isLabel(value: string, name: string): boolean {
  const letters = value.replaceAll(ESCAPED_LETTER, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const label = letters.replaceAll(LABEL_MARKS, ' ').trim();
  if (/[A-Za-z]$/.test(label.slice(0, -1)) && /[!?:]$/.test(label) && !/\d/.test(label))
    return isPlaceholder(label.slice(0, -1), name);
  const words = label.replace(/ ?\*$/, '');
  return words !== value && gradeOf(words) === 'plain';
}
