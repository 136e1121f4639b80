// Hints about failures of a command: finds those in its output that the sandbox, or a variable that commands do not get,
// may have caused.

/**
 * Watches the output of one command. If a failure looks like an effect of the sandbox or of a missing variable, collects
 * a hint for the model. The program itself reports only that a name is unknown, or that a file cannot be written.
 */
export interface FailureHints {
  see(chunk: Uint8Array): void;
  /**
   * Returns the texts to add to the result, one per hint. If the output does not look like such a failure, the list is
   * empty.
   */
  hints(): readonly string[];
}

/**
 * Errors for a name that cannot be looked up, or for a host that cannot be reached. Resolvers, curl, git, npm, pip, Go,
 * Java and Rust report them.
 */
const NO_NETWORK =
  /EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|getaddrinfo|[Cc]ould not resolve|[Tt]emporary failure (in name resolution|resolving)|[Nn]ame or service not known|[Nn]etwork is unreachable|[Nn]o route to host|[Uu]nable to (resolve|look ?up)|UnknownHostException|dns error|no such host|failed to lookup address/;

const READ_ONLY = /[Rr]ead-only file ?system|EROFS|[Dd]evice or resource busy|EBUSY/;

const KINDS = [
  {
    pattern: NO_NETWORK,
    offline: true,
    hint: 'this sandbox has no network: if the command needs it, call bash again with network: true (the user is asked)',
  },
  {
    pattern: READ_ONLY,
    offline: false,
    hint: 'in this sandbox a command can only write and move files of the workspace, except its repositories (.git), .tidemark, .agents, AGENTS.md, CLAUDE.md, start files, folders of PATH and files that trusted settings start: if this is the cause, ask the user to make the change',
  },
] as const;

/**
 * Number of characters at the end of the previous chunk that are searched again. Therefore an error message in two
 * chunks is found too.
 */
const OVERLAP = 64;

/** Errors for a variable of the environment that is missing. */
const NOT_SET =
  /not set|unset|unbound variable|not defined|undefined|must be set|(is|are) required|missing|environment variable|KeyError/i;

const VARIABLE = /\b[A-Z][A-Z0-9_]{2,}\b/g;

/** Maximum number of hints about variables. */
const MAX_VARIABLES = 3;

/** Limits of a command: the sandbox around it, the missing network, and variables of the user that it does not get. */
export interface Withheld {
  readonly sandboxed: boolean;
  /** True if the command has no network. */
  readonly offline: boolean;
  /** Names of variables that this process has and commands do not get. */
  readonly variables: ReadonlySet<string>;
}

/** Creates a watcher for the output of one command. */
export function watchForHints({ sandboxed, offline, variables }: Withheld): FailureHints {
  const wanted = sandboxed ? KINDS.filter((kind) => offline || !kind.offline) : [];
  const found = new Set<string>();
  const missing = new Set<string>();
  const decoder = new TextDecoder();
  let last = '';
  return {
    see(chunk) {
      if (found.size === wanted.length && missing.size >= Math.min(MAX_VARIABLES, variables.size)) return;
      const text = last + decoder.decode(chunk, { stream: true });
      for (const { pattern, hint } of wanted) if (pattern.test(text)) found.add(hint);
      for (const name of missingIn(text, variables)) if (missing.size < MAX_VARIABLES) missing.add(name);
      last = text.slice(-OVERLAP);
    },
    hints: () => [...found, ...[...missing].map(variableHint)],
  };
}

/** Returns the withheld variables that a line of the text reports as missing. */
function missingIn(text: string, variables: ReadonlySet<string>): readonly string[] {
  if (variables.size === 0 || !NOT_SET.test(text)) return [];
  return text
    .split('\n')
    .filter((line) => NOT_SET.test(line))
    .flatMap((line) => line.match(VARIABLE) ?? [])
    .filter((name) => variables.has(name));
}

function variableHint(name: string): string {
  return `the user has the variable ${name}, and commands do not get it: if the command needs it, ask the user to add it to the setting commands.variables`;
}
