// Commands of npm with their aliases and abbreviations. With them, a rule about `npm publish` also finds `npm publ`.
// The table is copied from npm 11 (`lib/utils/cmd-list.js`).

const COMMANDS: readonly string[] = [
  'access adduser approve-scripts audit bugs cache ci completion config dedupe deny-scripts deprecate diff dist-tag docs',
  'doctor edit exec explain explore find-dupes fund get help help-search init install install-ci-test install-scripts',
  'install-test link ll login logout ls org outdated owner pack ping pkg prefix profile prune publish query rebuild repo',
  'restart root run sbom search set shrinkwrap stage star stars start stop team test token trust undeprecate uninstall',
  'unpublish unstar update version view whoami',
].flatMap((line) => line.split(' '));

/** Aliases of each command that has an alias. */
const ALIASES: Readonly<Record<string, string>> = {
  adduser: 'add-user',
  bugs: 'issues',
  ci: 'clean-install ic install-clean isntall-clean',
  config: 'c',
  dedupe: 'ddp',
  'dist-tag': 'dist-tags',
  docs: 'home',
  exec: 'x',
  explain: 'why',
  help: 'hlep',
  init: 'create innit',
  install: 'add i in ins inst insta instal isnt isnta isntal isntall',
  'install-ci-test': 'cit clean-install-test sit',
  'install-test': 'it',
  link: 'ln',
  ll: 'la',
  ls: 'list',
  org: 'ogr',
  owner: 'author',
  rebuild: 'rb',
  run: 'run-script rum urn',
  search: 'find s se',
  test: 'tst t',
  uninstall: 'unlink remove rm r un',
  update: 'u up upgrade udpate',
  version: 'verison',
  view: 'info show v',
};

/** Each name that npm accepts, with the command that it runs. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ...COMMANDS.map((name) => [name, name] as const),
  ...Object.entries(ALIASES).flatMap(([name, aliases]) => aliases.split(' ').map((alias) => [alias, name] as const)),
]);

/**
 * Returns the commands that npm can run for a word. For a name or an alias, this is one command. Otherwise these are
 * all commands with a name that begins with the word. npm refuses a word with several commands, but another version may
 * know only one of these commands.
 */
export function npmCommands(word: string): readonly string[] {
  const name = word.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const exact = BY_NAME.get(name);
  if (exact !== undefined || name === '') return exact === undefined ? [] : [exact];
  return [...new Set([...BY_NAME].flatMap(([known, command]) => (known.startsWith(name) ? [command] : [])))];
}
