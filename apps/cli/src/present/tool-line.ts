// Formats a tool call as one line: the name of the tool and the first words of its arguments.

import { parseJson } from '@tidemark/log';

const MAX_CHARACTERS = 72;

/** Arguments that together identify a call, by tool. For these tools the first text argument is not enough. */
const NAMED_BY: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    skill_load: ['name', 'file'],
    memory_update: ['operation', 'file'],
    agent: ['agent', 'role', 'task'],
    process: ['action', 'process'],
  }),
);

/**
 * Returns the name of the tool and the arguments that identify the call, such as `read src/tax.js`. The text is
 * shortened. For most tools, the first text argument identifies the call.
 */
export function callTitle(name: string, argumentsText: string): string {
  const texts = textsIn(argumentsText);
  if (name === 'grep' || name === 'find') return searchTitle(name, texts);
  const named = (NAMED_BY.get(name) ?? []).flatMap((key) => texts.get(key) ?? []).join(' ');
  const words = shortLine(named === '' ? firstText(texts) : named);
  return words === '' ? name : `${name} ${words}`;
}

/** Returns the title of a search: `grep TODO in src (*.ts)`, `find *.ts in src`. */
function searchTitle(name: 'grep' | 'find', texts: ReadonlyMap<string, string>): string {
  const [pattern, path, glob] = ['pattern', 'path', 'glob'].map((key) => shortLine(texts.get(key) ?? '', 48));
  const searched = name === 'grep' ? pattern : glob;
  const place = path === '' ? '' : ` in ${path}`;
  const files = name === 'find' || glob === '' ? '' : ` (${glob})`;
  return `${name}${searched === '' ? '' : ` ${searched}`}${place}${files}`;
}

function firstText(texts: ReadonlyMap<string, string>): string {
  return [...texts.values()].find((text) => text.trim() !== '') ?? '';
}

function shortLine(text: string, most: number = MAX_CHARACTERS): string {
  const [line = ''] = text.trim().split('\n', 1);
  const short = line === text.trim() && line.length <= most;
  return short ? line : `${line.slice(0, most).trimEnd()}…`;
}

/**
 * Returns the text arguments of a call, by name. If the arguments are not JSON, returns an empty map. This happens if
 * the answer was cut off or the model wrote invalid JSON.
 */
function textsIn(argumentsText: string): ReadonlyMap<string, string> {
  try {
    const value = parseJson(argumentsText);
    if (typeof value !== 'object' || value === null) return new Map();
    return new Map(Object.entries(value).filter((one): one is [string, string] => typeof one[1] === 'string'));
  } catch {
    return new Map();
  }
}

/** Formats a duration: `820 ms`, `4.1 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
