// Tokens that are known by their own form, whatever name stands before them. The rules are data. Each expression is bounded
// in length, and is only tried at runs of token characters, so a search takes steps in proportion to the text.

import { gradeOf, isPlaceholder } from './credential-value.ts';

/** A rule that finds secrets of one form. */
export interface SecretRule {
  /** Stands in the placeholder. */
  readonly name: string;
  /** With a group `secret` that group alone is replaced; a group `lead` is all that the match holds before it. */
  readonly expression: RegExp;
  /** Decides whether a match is a secret. Every match is one by default. */
  readonly isSecret?: (found: RuleMatch) => boolean;
  /** Characters before the match that `isSecret` looks at. None by default. */
  readonly looksBack?: number;
}

/** A match of a rule. */
export interface RuleMatch {
  readonly text: string;
  /** The offset of the match in the text. */
  readonly index: number;
  readonly lead: string;
  readonly secret: string;
}

/** Letters, digits, `_` and `-` that stand together in every token of these rules. */
export const SHORTEST_RUN = 20;

/** Matches somewhere in each text that a rule of `TOKEN_RULES` matches. */
export const TOKEN_HINT: RegExp =
  /sk-|AIza|GOCSPX|ya29|gh[opsur]_|github_pat|gl[a-z]{2,5}-|xox|xapp|k_(?:live|test)|whsec|npm_|A(?:KIA|SIA|BIA|CCA)|eyJ|hf_|pypi-|GR1348941/;

/**
 * Holds where a token begins: not inside of a word. An escape of a string (`\n`, `\u0022`, `\x20`), an escape of an address
 * (`%3D`) and a colour of a terminal (`[31m`) end in a letter or a digit that is no part of a word.
 */
const BEGINS = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\(?:[abefnrtv0]|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|x[0-9A-Fa-f]{2}|[0-3][0-7]{2})|%(?:25)?[0-9A-Fa-f]{2}|\[[\d;:?]{0,24}[A-Za-z]))`;

/** An expression for a token that stands at the beginning of a word. */
function atBegin(form: string): RegExp {
  return new RegExp(BEGINS + form, 'g');
}

/** Rules for tokens. Where two find the same, the first one gives the name. */
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
  // Behind a backslash `n` and `r` may belong to an escape: a string of JSON would be none without them. They stay.
  { name: 'stripe', expression: /(?:s|(?<!\\)r)k_(?:live|test)_[A-Za-z0-9]{16,255}/g },
  { name: 'stripe', expression: /(?<lead>(?<=\\)r)(?<secret>k_(?:live|test)_[A-Za-z0-9]{16,255})/g },
  { name: 'stripe', expression: /whsec_[A-Za-z0-9+/=]{24,128}/g },
  { name: 'npm', expression: /(?<!\\)npm_[A-Za-z0-9]{36,128}/g },
  { name: 'npm', expression: /(?<lead>(?<=\\)n)(?<secret>pm_[A-Za-z0-9]{36,128})/g },
  { name: 'pypi', expression: /pypi-AgE[A-Za-z0-9_-]{40,1000}/g },
  { name: 'huggingface', expression: atBegin('hf_[A-Za-z0-9]{30,64}'), isSecret: isMixed },
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

/** Whether the value is neither a placeholder nor made of words. */
export function isMixed({ secret }: Pick<RuleMatch, 'secret'>): boolean {
  return !isPlaceholder(secret) && gradeOf(secret) === 'mixed';
}
