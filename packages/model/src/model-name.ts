// Names of models as people, routers, clouds and transcripts write them, brought to the form the catalog uses.

/**
 * A model's name without what does not change which model it is: letter case, the path of a router or cloud
 * (`anthropic/…`, `openrouter/anthropic/…`, `us.anthropic.…`, `publishers/…/models/…`, an ARN), Bedrock's version
 * (`-v1:0`), Vertex's `@` before the date, a variant (`:beta`), a window (`[1m]`), `-latest`, and the dots that routers
 * put in Claude's versions. `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is `claude-sonnet-4-5-20250929`.
 */
export function normalModelName(name: string): string {
  const bare = lastSegment(name.trim().toLowerCase())
    .replace(/\[[^\]]{0,20}\]$/, '')
    .replace(/^(?:[a-z-]{1,12}\.)?anthropic\./, '')
    .replace(/:[a-z0-9.-]{1,20}$/, '')
    .replace(/@(?:latest|default)$|-latest$/, '')
    .replace('@', '-');
  return bare.startsWith('claude-') ? bare.replace(/-v\d{1,2}$/, '').replaceAll('.', '-') : bare;
}

/** A normal name without the date of its snapshot: `-20250929` or `-2025-08-07`. */
export function undatedModelName(normal: string): string {
  return normal.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d)$/, '');
}

/** A line of Claude models. */
export type ClaudeFamily = 'opus' | 'sonnet' | 'haiku' | 'fable' | 'mythos';

/** What a Claude model's name tells. `version` is a number to compare by: 4.5. */
export interface ClaudeName {
  readonly family?: ClaudeFamily;
  readonly version?: number;
}

const FAMILIES: readonly ClaudeFamily[] = ['opus', 'sonnet', 'haiku', 'fable', 'mythos'];

/** Reads a normal name in either order (`claude-3-5-haiku`, `claude-haiku-4-5`); `undefined` when it is no Claude's. */
export function readClaudeName(normal: string): ClaudeName | undefined {
  const words = undatedModelName(normal).split('-');
  if (words[0] !== 'claude') return undefined;
  const family = FAMILIES.find((one) => words.includes(one));
  const [major, minor] = words.filter((word) => /^\d{1,2}$/.test(word)).map(Number);
  return {
    ...(family === undefined ? {} : { family }),
    ...(major === undefined ? {} : { version: major + (minor ?? 0) / 10 }),
  };
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
