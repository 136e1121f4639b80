// A setting as it may be printed. What a server is given may be a secret wherever it stands: its environment and headers are
// not shown at all; of its command line and address what a name says to be one.

import { isSecretName } from '@tidemark/agent';

const HIDDEN = '[not shown]';

/** Never shown, whatever they hold. */
const SECRET: ReadonlySet<string> = new Set(['env', 'headers']);

/** The value with its secrets left out, as plain JSON. */
export function showable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, showableValue));
}

function showableValue(key: string, value: unknown): unknown {
  if (SECRET.has(key)) return HIDDEN;
  if (key === 'args' && Array.isArray(value)) return value.map((each, at) => shownArgument(each, value[at - 1]));
  return typeof value === 'string' ? shownAddress(value) : value;
}

/** `--token=…`, `TOKEN=…`, and what stands behind `--token`. */
function shownArgument(argument: unknown, before: unknown): unknown {
  if (typeof argument !== 'string') return argument;
  if (typeof before === 'string' && before.startsWith('-') && !before.includes('=') && isSecretName(before))
    return HIDDEN;
  const [, name] = /^([^=\s]+)=/.exec(argument) ?? [];
  return name !== undefined && isSecretName(name) ? `${name}=${HIDDEN}` : shownAddress(argument);
}

/** Without what its query says to be a secret, and without a name and password. */
function shownAddress(text: string): string {
  return text
    .replaceAll(/(?<=[?&;#])([^=&;#\s]+)=[^&;#\s]*/g, (said, name: string) =>
      isSecretName(name) ? `${name}=${HIDDEN}` : said,
    )
    .replaceAll(/(?<=:\/\/)[^/@\s]+@/g, `${HIDDEN}@`);
}
