// Words for denied calls and denied prompts: who denied, and why.

import type { PermissionDecided } from '@tidemark/log';

/** Returns `denied`, with the name of the hook if a hook denied: `denied by the hook check`. */
export function denialInWords({ by, rule }: Pick<PermissionDecided, 'by' | 'rule'>): string {
  return by === 'hook' ? `denied by ${hookOfRule(rule)}` : 'denied';
}

/** Returns the hook that a rule of the log names, in words. */
export function hookOfRule(rule = 'hook/'): string {
  const name = rule.replace(/^hook\//, '');
  return name === '' ? 'a hook' : `the hook ${name}`;
}

/** Beginning of the result of a call that a hook denied. */
const HOOK_DENIED = /^The call of "[^"]*" \(\w+\) was denied by the hook /;

/** Words in the result of a denied call, before the reason. */
const BEFORE_REASON = ' and did not run: ';

/** Returns the reason that a hook gave for a denial, from the text of the call's result. Empty if there is none. */
export function reasonOfHook(text: string): string {
  const at = text.search(HOOK_DENIED) === 0 ? text.indexOf(BEFORE_REASON) : -1;
  return at === -1 ? '' : text.slice(at + BEFORE_REASON.length);
}
