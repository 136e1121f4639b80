// Hints about the sandbox: finds failures in the output of a command that the sandbox may have caused.

/**
 * Watches the output of one command. If a failure looks like an effect of the sandbox, collects a hint for the model.
 * The program itself reports only that a name is unknown, or that a file cannot be written.
 */
export interface FailureHints {
  see(chunk: Uint8Array): void;
  /**
   * Returns the texts to add to the result, one per hint. If the output does not look like a failure caused by the
   * sandbox, the list is empty.
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

/**
 * Creates a watcher for the output of one command.
 *
 * @param offline True if the command has no network.
 */
export function watchForHints(offline: boolean): FailureHints {
  const wanted = KINDS.filter((kind) => offline || !kind.offline);
  const found = new Set<string>();
  const decoder = new TextDecoder();
  let last = '';
  return {
    see(chunk) {
      if (found.size === wanted.length) return;
      const text = last + decoder.decode(chunk, { stream: true });
      for (const { pattern, hint } of wanted) if (pattern.test(text)) found.add(hint);
      last = text.slice(-OVERLAP);
    },
    hints: () => [...found],
  };
}
