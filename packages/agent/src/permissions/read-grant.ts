// Reads a grant that a user typed: `npm test *` for a command, `src/tax.js` or `src/` for a file tool. All functions
// are pure.

import type { Granted } from '@tidemark/log';
import type { GrantOffer, RuledCall } from '../rules/ruled-call.ts';
import { canGrant, leftBy, needsExactText, patternProblem } from './grant.ts';

/** Reason why a grant was refused, with the next action. */
export interface GrantProblem {
  readonly problem: string;
}

/**
 * Reads the text that the user typed after the answer `a` (for the session) or `p` (for the project). An empty text is
 * a grant for exactly this call. A returned grant always covers this call. Returns a problem if the text covers too
 * much or does not cover this call. Also returns a problem if the text is empty and the user has to name a file or
 * folder.
 */
export function readGrant({ call, exact }: GrantOffer, typed: string): Granted | GrantProblem {
  const text = typed.trim();
  if (text === '') return exact ?? { problem: NAME_IT };
  const { commands, paths = [] } = call.effects ?? {};
  if (commands !== undefined && paths.length === 0) return covering({ tool: call.tool, patterns: [text] }, call, text);
  if (paths.length > 0 && commands === undefined) return placeGrant(call, text);
  return { problem: `a grant for ${call.tool} cannot have a pattern: answer without a pattern` };
}

/**
 * Returns the paths that the permission question suggests for a grant: the file of the call, then its folder. A path
 * that cannot be granted is omitted. Returns an empty list for a call without a path or with several paths.
 */
export function offeredPlaces({ call }: GrantOffer): readonly string[] {
  const [path, ...more] = (call.effects?.paths ?? []).map((one) => one.path);
  if (path === undefined || more.length > 0) return [];
  const end = path.lastIndexOf('/');
  return [path, ...(end === -1 ? [] : [path.slice(0, end + 1)])].filter(
    (text) => !('problem' in placeGrant(call, text)),
  );
}

/**
 * Returns the texts that the permission question suggests for a grant of one plain command: the command itself, then the
 * patterns that cover it, the narrowest first. A pattern that cannot be granted is omitted. Returns an empty list for
 * any other call, and for a command with a word that a pattern would read in another way.
 */
export function offeredPatterns({ call, exact }: GrantOffer): readonly string[] {
  const [words, ...more] = exact?.commands ?? [];
  if (words === undefined || more.length > 0 || call.effects?.paths !== undefined) return [];
  if (!words.every((word) => /^[\w./:=@%+,-]+$/.test(word))) return [];
  const lengths = words.map((_, index) => words.length - index);
  const patterns = lengths.map((length) => `${words.slice(0, length).join(' ')} *`);
  return [
    words.join(' '),
    ...patterns.filter((text) => !('problem' in covering({ tool: call.tool, patterns: [text] }, call, text))),
  ];
}

/**
 * Returns the reason why a grant cannot be used for this call, or `undefined` if it can be used. Every grant is
 * checked. It may be typed, or it may come from another program.
 */
export function grantProblem(grant: Granted, call: RuledCall): string | undefined {
  if (!canGrant(call)) return 'this call cannot be granted';
  if (grant.tool !== call.tool) return `the grant is for ${grant.tool}, but the call is for ${call.tool}`;
  const folder = grant.folders?.find((name) => !isPlain(name));
  if (folder !== undefined) return `"${folder}" is not a folder in the workspace`;
  const wide = (grant.patterns ?? []).map(patternProblem).find((problem) => problem !== undefined);
  if (wide !== undefined) return wide;
  const [left] = leftBy(grant, call);
  if (left !== undefined && needsExactText(call)) return EXACT_ONLY;
  return left === undefined ? undefined : `it does not cover \`${left}\` of this call`;
}

const EXACT_ONLY =
  'only exactly this text can be allowed, because it is more than plain commands: answer without a text';

const NAME_IT = 'enter the file, or the folder with a / at its end, because another call may write different content';

function placeGrant(call: RuledCall, text: string): Granted | GrantProblem {
  if (/^\.?\/?$/.test(text))
    return { problem: 'this would allow the whole workspace: to do that, use the mode `auto`' };
  const plain = text.replace(/^\.\//, '');
  const name = plain.replace(/\/$/, '');
  if (!isPlain(name))
    return {
      problem: `"${text}" is not a path relative to the workspace: use names separated by /, without "..", "." and "~"`,
    };
  const grant = plain.endsWith('/') ? { tool: call.tool, folders: [name] } : { tool: call.tool, paths: [name] };
  return covering(grant, call, text);
}

function isPlain(name: string): boolean {
  return !name.startsWith('~') && name.split('/').every((one) => one !== '' && one !== '.' && one !== '..');
}

function covering(grant: Granted, call: RuledCall, text: string): Granted | GrantProblem {
  const problem = grantProblem(grant, call);
  return problem === undefined ? grant : { problem: `"${text}" is refused: ${problem}` };
}
