// The settings of a repository, read without git: git would run what they name.

/** One setting: `[includeIf "gitdir:~/work/"] path = x`. */
export interface GitSetting {
  /** In lower case, without the subsection: `includeif`. */
  readonly section: string;
  /** In lower case. */
  readonly key: string;
  readonly value: string;
}

const BLANK = /[ \t\r\n\f\v]+/y;
const COMMENT = /[#;][^\n]*/y;
/** `[core]`, `[includeIf "…"]`, and the old form `[section.subsection]`. */
const HEADER = /\[[ \t]*([A-Za-z0-9-]+)(?:\.[A-Za-z0-9.-]+)?(?:[ \t]+"(?:[^"\\\n]|\\.)*")?[ \t]*\]/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)[ \t]*/y;
/** Up to a comment or the end of the line. A backslash continues the line; quotes keep blanks and the signs of comments. */
const VALUE = /(?:[^"\\#;\n]|\\\r?\n|\\.|"(?:[^"\\\n]|\\\r?\n|\\.)*")*/y;
const REST = /[^\n]*/y;

const ESCAPES: ReadonlyMap<string, string> = new Map(Object.entries({ n: '\n', t: '\t', b: '\b' }));

/**
 * Reads the text of a configuration file in git's format. A key without a value is left out. Git refuses a file with a line that
 * it cannot read; here that line is left out, so that nothing is missed that another version of git may read.
 */
export function readGitSettings(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  let at = text.startsWith('\u{feff}') ? 1 : 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found;
  };
  while (at < text.length) {
    if (take(BLANK) !== null || take(COMMENT) !== null) continue;
    const header = take(HEADER);
    if (header !== null) section = (header[1] ?? '').toLowerCase();
    if (header !== null) continue;
    const key = take(KEY);
    if (key === null || key[2] === '') take(REST);
    else settings.push({ section, key: (key[1] ?? '').toLowerCase(), value: valueOf(take(VALUE)?.[0] ?? '') });
    if (key !== null) take(REST);
  }
  return settings;
}

function valueOf(written: string): string {
  return written
    .trimEnd()
    .replaceAll(/\\(\r?\n|.)|"/g, (_, escaped: string | undefined) =>
      escaped === undefined || escaped.endsWith('\n') ? '' : (ESCAPES.get(escaped) ?? escaped),
    );
}
