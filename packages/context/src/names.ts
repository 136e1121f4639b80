// Names in a text that mean one thing: paths, and identifiers that are written as code writes them. A plain word is none.

/** A name, and whether it may be a path. */
export interface Name {
  readonly name: string;
  readonly path: boolean;
}

/** Characters of paths and identifiers. One class, so that a text is read once, whatever it holds. */
const RUN = /[\w@$~./-]+/g;
/** Shorter runs mean too much; longer ones are data, and no names. UTF-16 units. */
const SHORTEST = 4;
const LONGEST = 300;
/** The short ending of a file's name. */
const ENDING = /\w\.[A-Za-z]\w{0,4}$/;
const WORD = /[A-Za-z_$][\w$]{3,}/g;
/** A capital behind a small letter, an underscore between letters, a digit behind a letter, or capitals before a small letter. */
const CODED = /[a-z][A-Z]|[A-Za-z]_+[A-Za-z]|[A-Za-z]\d|[A-Z]{2,}[a-z]/;

/** Returns each distinct name of a text, in the order of first sight. The cost follows the length of the text. */
export function namesIn(text: string): readonly Name[] {
  const names = new Map<string, Name>();
  for (const [found] of text.matchAll(RUN)) {
    if (found.length < SHORTEST || found.length > LONGEST) continue;
    const run = withoutEnd(found);
    const path = run.includes('/') || (run.includes('.') && ENDING.test(run));
    if (path) names.set(run, { name: run, path });
    if (run.includes('/') || !CODED.test(run)) continue;
    for (const [word] of run.matchAll(WORD))
      if (CODED.test(word) && !names.has(word)) names.set(word, { name: word, path: false });
  }
  return [...names.values()];
}

/** A run without what ends a sentence. */
function withoutEnd(run: string): string {
  let end = run.length;
  while (end > 0 && './-'.includes(run.charAt(end - 1))) end -= 1;
  return end === run.length ? run : run.slice(0, end);
}

/** Returns every string of a JSON value, at any depth. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
