// Thinking that was issued, and what each block is bound to: its model, its account, and the exact prefix it was given
// in (§1.8). The prefix is told without thinking, plus the thinking block before it, so that dropping from the front is valid.

/** Where a thinking block stands: everything before it without thinking, and the thinking block before it. */
export interface ThinkingPlace {
  readonly prefix: string;
  /** Key of the thinking block before it; empty for the first. */
  readonly before: string;
}

/** What a thinking block is bound to. */
export interface Binding extends ThinkingPlace {
  readonly key: string;
  readonly account: string;
  readonly model: string;
  /** The text as it was issued. */
  readonly thinking: string;
}

/** A thinking or redacted_thinking block as it came back. */
export interface Sealed {
  /** `signature`, or `data` of a redacted block. */
  readonly seal: string;
  /** Empty for a redacted block. */
  readonly thinking: string;
}

/** Every seal known to this simulator. */
export interface Signatures {
  /** Remembers what an answer issued. */
  issue(sealed: Sealed, place: ThinkingPlace, account: string, model: string): Binding;
  /** Accepts a seal from elsewhere: it is bound where it is first seen. */
  admit(seal: string): void;
  /**
   * The binding of a block that came back: `unknown` when it was never issued, `edited` when its text is another. A seal
   * that was admitted and not yet seen is bound to this place.
   */
  look(sealed: Sealed, place: ThinkingPlace, account: string, model: string): Binding | 'unknown' | 'edited';
}

const MOST_BINDINGS = 200_000;

/** What a real seal looks like. A recording may hold something else in its place (`[REDACTED_SIGNATURE]`), which binds nothing. */
const SIGNATURE = /^[A-Za-z0-9+/_=-]+$/;

/** No seals. With `recorded`, any seal is taken as issued where it is first seen: recordings bring theirs. */
export function createSignatures(recorded: boolean): Signatures {
  const issued = new Map<string, Binding>();
  const admitted = new Set<string>();
  function bind(key: string, sealed: Sealed, place: ThinkingPlace, account: string, model: string): Binding {
    const binding: Binding = { ...place, key, account, model, thinking: sealed.thinking };
    issued.set(key, binding);
    if (issued.size > MOST_BINDINGS) forgetOldest(issued);
    return binding;
  }
  return {
    issue: (sealed, place, account, model) => bind(sealed.seal, sealed, place, account, model),
    admit(seal) {
      admitted.add(seal);
    },
    look(sealed, place, account, model) {
      const known = issued.get(sealed.seal);
      if (known !== undefined) return known.thinking === sealed.thinking ? known : 'edited';
      if (admitted.delete(sealed.seal)) return bind(sealed.seal, sealed, place, account, model);
      if (!recorded) return 'unknown';
      if (!SIGNATURE.test(sealed.seal))
        return { ...place, key: sealed.seal, account, model, thinking: sealed.thinking };
      const key = `${sealed.seal}\n${sealed.thinking}`;
      return issued.get(key) ?? bind(key, sealed, place, account, model);
    },
  };
}

function forgetOldest(issued: Map<string, Binding>): void {
  for (const key of issued.keys()) {
    issued.delete(key);
    return;
  }
}
