// Secrets that commands receive because the author named their variables.

import type { SecretValue } from '@tidemark/agent';
import { isOrdinaryVariable } from '@tidemark/tools-workspace';
import type { AgentOptions } from './agent-options.ts';
import { workspaceOf } from './agent-options.ts';
import { KitError } from './kit-error.ts';

/** Minimum length of a secret that commands receive, in characters. Ordinary text could contain a shorter one. */
const SHORTEST_SECRET = 12;

/**
 * Returns the secrets that commands receive by their names, whatever these names look like.
 *
 * @throws KitError `kit/bad-options` if a value is too short to be masked, or if every command has the variable. Its
 *   value is then part of ordinary texts, such as the paths of files, and masking it would damage them.
 */
export function secretsOfCommands(options: AgentOptions): readonly SecretValue[] {
  const environment = options.host?.environment ?? process.env;
  return (workspaceOf(options)?.commands?.secretVariables ?? []).flatMap((name) => {
    if (isOrdinaryVariable(name)) throw ordinaryError(name);
    const value = Object.hasOwn(environment, name) ? environment[name]?.trim() : undefined;
    if (value === undefined || value === '') return [];
    if (value.length >= SHORTEST_SECRET) return [{ name, value }];
    throw new KitError(
      'kit/bad-options',
      `the value of ${name} has fewer than ${SHORTEST_SECRET} characters, so it cannot be masked: remove it from \`secretVariables\``,
      { variable: name },
    );
  });
}

function ordinaryError(variable: string): KitError {
  return new KitError(
    'kit/bad-options',
    `${variable} is not a secret: every command has it, and its value would be masked in ordinary texts, such as paths. Remove it from \`secretVariables\``,
    { variable },
  );
}
