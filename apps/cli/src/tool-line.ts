// A tool call in one line: what it was asked, by the first words of its arguments.

const MOST = 72;

/** `read src/tax.js`: the name, and the first text among the arguments, shortened. */
export function callTitle(name: string, argumentsText: string): string {
  const words = firstText(argumentsText);
  return words === '' ? name : `${name} ${words}`;
}

function firstText(argumentsText: string): string {
  const found = textsIn(argumentsText).find((text) => text.trim() !== '') ?? '';
  const [line = ''] = found.trim().split('\n', 1);
  const short = line === found.trim() && line.length <= MOST;
  return short ? line : `${line.slice(0, MOST).trimEnd()}…`;
}

/** Arguments that are no JSON were cut, or are for the tool to complain of. */
function textsIn(argumentsText: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(argumentsText);
    if (typeof value !== 'object' || value === null) return [];
    return Object.values(value).filter((one) => typeof one === 'string');
  } catch {
    return [];
  }
}

/** `820 ms`, `4.1 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
