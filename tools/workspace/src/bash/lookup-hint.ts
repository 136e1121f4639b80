// Tells a model that a command failed because its sandbox has no network: programs only report that a name is unknown.

/** Reads the output of one command as it passes. */
export interface LookupHint {
  see(chunk: Uint8Array): void;
  /** What to add to the result; empty where nothing looks like a failed lookup. */
  words(): string;
}

/** What resolvers, curl, git, npm, pip, Go, Java and Rust report for a name that cannot be looked up or a host out of reach. */
const FAILED =
  /EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|getaddrinfo|[Cc]ould not resolve|[Tt]emporary failure (in name resolution|resolving)|[Nn]ame or service not known|[Nn]etwork is unreachable|[Nn]o route to host|[Uu]nable to (resolve|look ?up)|UnknownHostException|dns error|no such host|failed to lookup address/;

const HINT =
  '\n[this sandbox has no network: if the command needs it, call bash again with network: true, which the user is asked about]';

/** Longest text that is looked at twice, so that it is found across two chunks; in characters. */
const OVERLAP = 64;

/** Starts with no output seen. */
export function lookupHint(): LookupHint {
  const decoder = new TextDecoder();
  let last = '';
  let found = false;
  return {
    see(chunk) {
      if (found) return;
      const text = last + decoder.decode(chunk, { stream: true });
      found = FAILED.test(text);
      last = text.slice(-OVERLAP);
    },
    words: () => (found ? HINT : ''),
  };
}
