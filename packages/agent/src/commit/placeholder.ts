// What stands in the place of a secret: `[secret:GITHUB_TOKEN]` for a value, by the name of its variable, and
// `[secret:github]` for a token of well-known shape, by the rule that knows it. This form is part of what models have
// read and files may hold: it does not change.

const LONGEST_NAME = 64;

/** Matches each placeholder of a text. Not sticky: only for `matchAll` and `search`. */
export const PLACEHOLDER: RegExp = /\[secret:[A-Za-z0-9_.-]{1,64}\]/g;

/** The placeholder of this name; what the form has no room for becomes `_`. */
export function placeholderOf(name: string): string {
  return `[secret:${name.slice(0, LONGEST_NAME).replaceAll(/[^A-Za-z0-9_.-]/g, '_') || '_'}]`;
}
