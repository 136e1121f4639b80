import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCommands } from './read-commands.ts';

const plain = (source: string): readonly string[] | undefined =>
  readCommands(source).plain?.map((words) => words.join(' '));

/** Returns true if the line could run a command that begins with these words, or an unknown command. */
const could = (source: string, ...words: readonly string[]): boolean =>
  readCommands(source).possible.some((command) => {
    const unknown = command.indexOf(undefined);
    const known = unknown === -1 ? command : command.slice(0, unknown);
    const same = words.every((word, index) => (index < known.length ? known[index] === word : unknown !== -1));
    return same;
  });

describe('`plain` of a command line', () => {
  test.each([
    ['npm test', ['npm test']],
    ['  npm   test  ', ['npm test']],
    ['npm test;', ['npm test']],
    [
      'npm test && git status -s || ls | wc -l; pwd & date\nid\n\n',
      ['npm test', 'git status -s', 'ls', 'wc -l', 'pwd', 'date', 'id'],
    ],
    [`git commit -m 'a; b $(c)' -m "d | e"`, ['git commit -m a; b $(c) -m d | e']],
    ['npm test 2>&1 | tail -5', ['npm test', 'tail -5']],
    ['npm test > /dev/null 2>/dev/null < /dev/null', ['npm test']],
  ])('lists the commands of a line in plain words: %s', (source, commands) => {
    expect(plain(source)).toEqual(commands);
  });

  test.each([
    ['a substitution', 'npm test $(id)'],
    ['a substitution in quotes', 'npm test "$(id)"'],
    ['backticks', 'npm test `id`'],
    ['a process substitution for input', 'npm test <(id)'],
    ['a variable', 'npm test $X'],
    ['a variable in quotes', 'npm test "$X"'],
    ['a variable as the command', '$X test'],
    ['arithmetic', 'npm test $((1))'],
    ['an assignment before the command', 'LD_PRELOAD=./x.so npm test'],
    ['an assignment on a line of its own', 'PATH=/tmp\nnpm test'],
    ['output to a file', 'npm test > out'],
    ['output to a file without a space', 'npm test>out'],
    ['output appended', 'npm test >> out'],
    ['input from a file', 'npm test < in'],
    ['output to a path that begins with the null device', 'npm test > /dev/null/../../etc/x'],
    ['a here-document', 'npm test <<EOF\nx\nEOF'],
    ['a here-string', 'npm test <<< x'],
    ['a file name pattern', 'npm test *'],
    ['braces', 'npm {test,run}'],
    ['a home folder', 'npm test ~/x'],
    ['an escape', 'npm te\\st'],
    ['a continued line', 'npm test \\\n--x'],
    ['quotes inside a word', "np'm' test"],
    ['quotes around the command', '"npm" test'],
    ['dollar quotes', "npm $'test'"],
    ['a group', '{ npm test; }'],
    ['a subshell', '(npm test)'],
    ['a condition', 'if npm test; then id; fi'],
    ['a loop', 'while npm test; do id; done'],
    ['a function', 'npm() { id; }; npm test'],
    ['a negation', '! npm test'],
    ['a `time` prefix', 'time npm test'],
    ['a coprocess', 'coproc npm test'],
    ['a comment', 'npm test # x'],
    ['history', 'npm test !!'],
    ['a carriage return', 'npm test\r\nid'],
    ['a no-break space', 'npm\u00a0test'],
    ['a control character in quotes', "npm 'a\u001bb'"],
    ['an open quote', 'npm "test'],
    ['an open substitution', 'npm test $('],
    ['nothing', ''],
    ['only a comment', '# npm test'],
    ['a double semicolon', 'npm test;;id'],
  ])('is `undefined` for a line with %s: %j', (_, source) => {
    expect(plain(source)).toBeUndefined();
  });
});

const WRAPPINGS: Readonly<Record<string, (command: string) => string>> = {
  'a chain with `&&`': (command) => `npm test && ${command}`,
  'a chain with `||`': (command) => `npm test || ${command}`,
  'a pipe': (command) => `npm test | ${command}`,
  'a pipe with both outputs': (command) => `npm test |& ${command}`,
  'a background command': (command) => `npm test & ${command}`,
  'a command on the next line': (command) => `npm test\n${command}`,
  'a semicolon': (command) => `npm test;${command}`,
  'a substitution': (command) => `npm test $(${command})`,
  'a substitution in quotes': (command) => `npm test "a $(${command}) b"`,
  'a subshell in a substitution': (command) => `npm test $((${command}\n); (id))`,
  'a process substitution for input': (command) => `npm test <(${command})`,
  'a process substitution for output': (command) => `npm test > >(${command})`,
  arithmetic: (command) => `npm test $(( $(${command}) ))`,
  'a default value': (command) => `npm test \${X:-$(${command})}`,
  'an index': (command) => `a[$(${command})]=1 npm test`,
  'a subshell': (command) => ` (${command})`,
  'a group': (command) => `{ ${command}\n}`,
  'a negation': (command) => `! ${command}`,
  'a `time` prefix': (command) => `time ${command}`,
  'a coprocess': (command) => `coproc { ${command}\n}`,
  'a condition': (command) => `if npm test; then\n${command}\nfi`,
  'a test': (command) => `[[ -n $(${command}) ]] && npm test`,
  'a loop': (command) => `for i in 1; do\n${command}\ndone`,
  'the list of a loop': (command) => `for i in $(${command}); do npm test; done`,
  'a case': (command) => `case a in a)\n${command}\n;; esac`,
  'a function': (command) => `f() {\n${command}\n}\nf`,
  'a function with the name of an allowed command': (command) => `npm() {\n${command}\n}\nnpm test`,
  'a here-document': (command) => `cat <<EOF\n$(${command})\nEOF\nnpm test`,
  'a here-string': (command) => `npm test <<< "$(${command})"`,
  'a redirection': (command) => `npm test > "$(${command})"`,
  'a variable': (command) => `X=$(${command}) npm test`,
  'an array assignment': (command) => `X=(a $(${command}))\nnpm test`,
};

const LAUNCHES: Readonly<Record<string, (command: string) => string>> = {
  env: (command) => `env A=b ${command}`,
  'env with one argument for the whole command': (command) => `env -S '${command}'`,
  sudo: (command) => `sudo -u root ${command}`,
  xargs: (command) => `echo x | xargs -n 1 ${command}`,
  find: (command) => `find . -exec ${command} {} +`,
  timeout: (command) => `timeout 10 ${command}`,
  nohup: (command) => `nohup nice -n 5 ${command}`,
  exec: (command) => `exec ${command}`,
  command: (command) => `command ${command}`,
  builtin: (command) => `builtin command ${command}`,
  eval: (command) => `eval ${command}`,
  'eval of a quoted text': (command) => `eval '${command}'`,
  'eval of two commands in one text': (command) => `eval "npm test; ${command}"`,
  sh: (command) => `sh -c '${command}'`,
  'bash by its path': (command) => `/bin/bash -lc "${command}"`,
  'a shell that reads a here-document': (command) => `bash <<'EOF'\n${command}\nEOF`,
  'a shell that reads a here-string': (command) => `bash -s <<< '${command}'`,
  'a shell that reads a pipe': (command) => `echo '${command}' | sh`,
  'a shell that reads its input by a path': (command) => `echo '${command}' | sh /dev/stdin`,
  'a trap': (command) => `trap '${command}' EXIT`,
  'an alias': (command) => `shopt -s expand_aliases\nalias x='${command}'\nx`,
  watch: (command) => `watch -n 1 '${command}'`,
  ssh: (command) => `ssh localhost '${command}'`,
  'a substitution in a script': (command) => `sh -c 'npm test $(${command})'`,
  python: (command) => `python3 -c 'import os; os.system("${command}")'`,
  node: (command) => `node -e 'require("child_process").execSync("${command}")'`,
  awk: (command) => `awk 'BEGIN { system("${command}") }'`,
  'an interpreter that reads a here-document': (command) =>
    `python3 - <<'EOF'\nimport os; os.system("${command}")\nEOF`,
  'an alias of git': (command) => `git -c alias.x='!${command}' x`,
  'a pager of git': (command) => `GIT_PAGER='${command}' git log`,
  'a setting of git': (command) => `git -c core.pager='${command}' log`,
  'a stored setting of git': (command) => `git config core.fsmonitor '${command}'`,
  'git bisect': (command) => `git bisect run ${command}`,
  'git rebase': (command) => `git rebase --exec '${command}' main`,
  'the pager option of git grep': (command) => `git grep -O'${command}' x`,
  'the receive-pack option of git push': (command) => `git push --receive-pac='${command}' x`,
  tar: (command) => `tar cf a b --checkpoint-action=exec='${command}'`,
  'combined options of tar': (command) => `tar -cIf '${command}' a b`,
  rsync: (command) => `rsync -ave '${command}' a b:c`,
  sort: (command) => `sort --compress-program='${command}' f`,
  'the preprocessor of ripgrep': (command) => `rg --pre '${command}' x`,
  make: (command) => `make SHELL='${command}'`,
  'npm exec': (command) => `npm exec -- ${command}`,
  'uv run': (command) => `uv run ${command}`,
  'bundle exec': (command) => `bundle exec ${command}`,
  kubectl: (command) => `kubectl exec pod -- ${command}`,
  'the dynamic loader': (command) => `/lib64/ld-linux-x86-64.so.2 ${command}`,
  'an editor': (command) => `vim -c '!${command}' f`,
  'a database': (command) => `sqlite3 a.db <<< '.shell ${command}'`,
  'a debugger': (command) => `gdb -ex 'shell ${command}'`,
  'env with the command in its option': (command) => `env -iS'${command}'`,
  'a shell that a launcher starts': (command) => `xargs -0 timeout 5 sh -c '${command}'`,
  'eval of two arguments': (command) => `eval 'npm test; ' ${command}`,
  'a shell with an option that has a value': (command) => `bash -O extglob <<< '${command}'`,
  source: (command) => `source /dev/stdin <<< '${command}'`,
  'source of a process substitution': (command) => `. <(echo ${command})`,
  mapfile: (command) => `mapfile -C '${command}' -c 1 a < f`,
  completion: (command) => `compgen -C '${command}' x`,
  history: (command) => `set -o history; history -s '${command}'; fc -s`,
  'an array index in quotes': (command) => `test -v 'a[$(${command})]'`,
  'an array index with escapes': (command) => `printf -v a\\[\\$\\(${command.replaceAll(' ', '\\ ')}\\)\\] x`,
  'a variable in arithmetic': (command) => `x='a[$(${command})]'; ((x))`,
  'a prompt': (command) => `x='$(${command})'; echo "\${x@P}"`,
  'a variable of a pager': (command) => `LESSOPEN='|${command}' less f`,
  'an exported variable': (command) => `export LESSOPEN='|${command}'; less f`,
  'a variable of make': (command) => `CC='${command}' make`,
  'the startup file of a shell': () => `BASH_ENV=./x npm test`,
  'a library': () => `LD_PRELOAD=./x.so npm test`,
  'a search path': () => `PATH=.:$PATH npm test`,
};

const SPELLINGS: Readonly<Record<string, string>> = {
  'a path': '/bin/rm',
  'an escape': '\\rm',
  quotes: "r'm'",
  'empty quotes': 'r""m',
  'double quotes': '"rm"',
  'dollar quotes': "$'\\x72m'",
  'an octal escape': "$'\\162m'",
  'a continued line': 'r\\\nm',
  'a variable': '$RM',
  'a variable for a part of the name': 'r$M',
  'a substitution': '$(echo rm)',
  backticks: '`echo rm`',
  'a file name pattern': '/bin/r?',
  'a character class': '/bin/[r]m',
  braces: '{rm,-rf}',
  'braces in a word': 'r{m,}',
  'a translated text': '$"rm"',
};

describe('a command that no rule allows', () => {
  const wrapping = fc.constantFrom(...Object.values(WRAPPINGS));

  test.each(Object.entries(WRAPPINGS))('is found and not allowed in %s', (_, wrap) => {
    const source = wrap('rm -rf x');
    expect(plain(source)?.every((command) => command === 'npm test') ?? false, source).toBe(false);
    expect(could(source, 'rm', '-rf', 'x'), source).toBe(true);
  });

  test.each(Object.entries(LAUNCHES))('is found and not allowed if started through %s', (_, wrap) => {
    const source = wrap('rm -rf x');
    expect(plain(source)?.every((command) => command === 'npm test') ?? false, source).toBe(false);
    expect(could(source, 'rm', '-rf', 'x'), source).toBe(true);
  });

  test.each(Object.entries(SPELLINGS))('is found and not allowed if its name is written with %s', (_, name) => {
    const source = `npm test; ${name} -rf x`;
    expect(plain(source)?.every((command) => command === 'npm test') ?? false, source).toBe(false);
    expect(could(source, 'rm', '-rf') || could(source, '/bin/rm', '-rf'), source).toBe(true);
  });

  test('is found and not allowed in up to five nested wrappings', () => {
    fc.assert(
      fc.property(fc.array(wrapping, { minLength: 1, maxLength: 5 }), (wrappings) => {
        const source = wrappings.reduce((command, wrap) => wrap(command), 'rm -rf x');
        expect(plain(source)?.every((command) => command === 'npm test') ?? false).toBe(false);
        expect(could(source, 'rm', '-rf', 'x')).toBe(true);
      }),
    );
  });

  test('is not allowed after an allowed command and any characters', () => {
    const pieces = fc.constantFrom(...Array.from(` \t\n;&|()<>{}[]$\`'"\\#!~*?=-+a1/`));
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), fc.array(pieces, { maxLength: 8 }), (before, behind) => {
        const commands = plain(`npm test ${before.join('')}rm${behind.join('')}`);
        expect(commands?.every((command) => command === 'npm test') ?? false).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

test('a name of a command in a text or in an argument does not count as a command', () => {
  for (const source of [
    'echo rm -rf x',
    'git commit -m "rm -rf x"',
    'grep -r "rm -rf x" .',
    'git rm x',
    'X="rm -rf x"; echo "$X"',
    'node scripts/build.ts rm',
    'timeout 10 wc "$X"',
    'for i in *.ts; do wc -l "$i"; done',
    'git -C sub rm x',
    'git config user.name rm',
    "find . -name '*.ts' -print0 | xargs -0 grep -l foo",
    'ls | xargs -I{} cp {} {}.bak',
    "jq '.a[0]' f; grep '[`]' f",
    "git commit -m 'now without `rm`'",
    'export NODE_ENV=test; set -euo pipefail; read x < f',
    'npm test -- rm; cargo build; make -j4 test',
  ])
    expect(could(source, 'rm'), source).toBe(false);
});

test('`readCommands` accepts any text, including hostile input', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (source) => {
      const { plain: commands, possible } = readCommands(source);
      expect(commands === undefined || possible.length >= commands.length).toBe(true);
    }),
  );
  for (const source of [
    '$('.repeat(50_000),
    '"$('.repeat(30_000),
    '('.repeat(50_000),
    `sh -c ${"'".repeat(9_999)}`,
    '`'.repeat(9_999),
  ])
    expect(readCommands(source).plain).toBeUndefined();
  expect(readCommands('sudo '.repeat(20_000)).possible).toContainEqual([undefined]);
});
