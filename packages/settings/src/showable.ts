// Returns a setting in a form that may be printed. Any part of a server setting can contain a secret. The environment
// and the headers are hidden completely. In the command line and the URL, a value is hidden if its name is the name of
// a secret, such as `token`.

import { isSecretName } from '@tidemark/agent';

const HIDDEN = '[not shown]';

const SECRET: ReadonlySet<string> = new Set(['env', 'headers']);

/** Returns the value as plain JSON with its secrets hidden. */
export function showable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, showableValue));
}

function showableValue(key: string, value: unknown): unknown {
  if (SECRET.has(key)) return HIDDEN;
  if ((key === 'args' || key === 'run') && Array.isArray(value))
    return value.map((each, at) => shownArgument(each, value[at - 1]));
  return typeof value === 'string' ? shownAddress(value) : value;
}

/** Hides the value in `--token=…`, `TOKEN=…`, and the argument after `--token`. */
function shownArgument(argument: unknown, before: unknown): unknown {
  if (typeof argument !== 'string') return argument;
  if (typeof before === 'string' && before.startsWith('-') && !before.includes('=') && isSecretName(before))
    return HIDDEN;
  const [, name] = /^([^=\s]+)=/.exec(argument) ?? [];
  return name !== undefined && isSecretName(name) ? `${name}=${HIDDEN}` : shownAddress(argument);
}

/** Hides secret values in the query of a URL, and the user name and password of the URL. */
function shownAddress(text: string): string {
  return text
    .replaceAll(/(?<=[?&;#])([^=&;#\s]+)=[^&;#\s]*/g, (pair, name: string) =>
      isSecretName(name) ? `${name}=${HIDDEN}` : pair,
    )
    .replaceAll(/(?<=:\/\/)[^/@\s]+@/g, `${HIDDEN}@`);
}
