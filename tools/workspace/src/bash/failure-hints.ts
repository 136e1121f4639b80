// Tells a model that a command failed because of its sandbox: programs only report that a name is unknown, or a file
// cannot be written.

/** Reads the output of one command as it passes. */
export interface FailureHints {
  see(chunk: Uint8Array): void;
  /** What to add to the result, one text each; none where nothing looks like a bound of the sandbox. */
  hints(): readonly string[];
}

/** What resolvers, curl, git, npm, pip, Go, Java and Rust report for a name that cannot be looked up or a host out of reach. */
const NO_NETWORK =
  /EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|getaddrinfo|[Cc]ould not resolve|[Tt]emporary failure (in name resolution|resolving)|[Nn]ame or service not known|[Nn]etwork is unreachable|[Nn]o route to host|[Uu]nable to (resolve|look ?up)|UnknownHostException|dns error|no such host|failed to lookup address/;
const READ_ONLY = /[Rr]ead-only file ?system|EROFS|[Dd]evice or resource busy|EBUSY/;

const KINDS = [
  {
    pattern: NO_NETWORK,
    offline: true,
    hint: 'this sandbox has no network: if the command needs it, call bash again with network: true, which the user is asked about',
  },
  {
    pattern: READ_ONLY,
    offline: false,
    hint: 'in this sandbox only the workspace can be written and moved, without its repositories (.git), .tidemark, .agents, AGENTS.md, start files, folders of PATH and what trusted settings start: if that is why, ask the user to do it',
  },
] as const;

/** Longest text that is looked at twice, so that it is found across two chunks; in characters. */
const OVERLAP = 64;

/** Starts with no output seen. @param offline The command has no network. */
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
