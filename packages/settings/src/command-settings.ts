// Settings of the commands that the tool `bash` runs.

import { isSecretName } from '@tidemark/agent';
import { z } from 'zod';

/** Environment variables of commands. */
export interface CommandSettings {
  /**
   * Names of variables that commands receive, and beginnings of names such as `CARGO_*`. The names of all sources apply
   * together. A workspace may not name a secret.
   */
  readonly variables?: readonly string[] | undefined;
  /** Names of variables with secrets that commands receive. Only the user's own settings may set this field. */
  readonly secretVariables?: readonly string[] | undefined;
}

const VARIABLE = 'expected the name of an environment variable';
const variable = z.string(VARIABLE).regex(/^[A-Za-z_]\w{0,199}$/, VARIABLE);
const VARIABLES = `${VARIABLE}, or the beginning of names such as "CARGO_*"`;
const variables = z.string(VARIABLES).regex(/^(?:[A-Za-z_]\w{0,199}|[A-Za-z]\w{0,199}_\*)$/, VARIABLES);

/** Schema of the settings of commands. */
export const commandSettings: z.ZodType<CommandSettings> = z.strictObject({
  variables: z.array(variables).max(200).optional(),
  secretVariables: z.array(variable).max(50).optional(),
});

/** Returns the names of variables that a trusted workspace may pass to commands. These are names of no secrets. */
export function variablesBrought(value: unknown): readonly string[] | undefined {
  const names =
    z
      .array(z.string())
      .safeParse(value)
      .data?.filter((name) => !isSecretName(name)) ?? [];
  return names.length === 0 ? undefined : names;
}
