// Commands that a granted pattern with a `*` may fit: programs, subcommands and options that are known to start no program of
// a caller's choice and to write no settings. Everything else is granted word for word only.

import { isWayToRun } from './ways-to-run.ts';

/** Commands of one program. */
interface Harmless {
  /** Subcommands, one of which follows the program at once. Absent: the program has none. */
  readonly first?: RegExp;
  /** The word after the subcommand, where it has to be a name: that of a script. */
  readonly second?: RegExp;
  /** All words that begin with `-` or `@`. Absent: any that is no known way to run a program. */
  readonly options?: RegExp;
  /** Words after `--` go to a test or a script, so they are no options of the program. */
  readonly passes?: true;
}

const NPM = /^(-s|-ws|--(silent|if-present|json|long|all|depth=\d+|workspaces|include-workspace-root|ignore-scripts))$/;
const SCRIPTS: readonly Harmless[] = [
  { first: /^test$/, options: NPM, passes: true },
  { first: /^run$/, second: /^[A-Za-z][\w.:*-]*$/, options: NPM, passes: true },
];
const CARGO =
  /^(-[vqpF]+|-j\d*|--(all|all-features|all-targets|bench(es)?|bins?|check|doc|examples?|features(=.*)?|frozen|lib|locked|no-default-features|no-fail-fast|no-run|offline|package(=.*)?|quiet|release|tests?|verbose|workspace))$/;

const HARMLESS: Readonly<Record<string, readonly Harmless[]>> = {
  ...Object.fromEntries(
    'ls cat grep egrep fgrep rg head tail wc cmp cut tr nl du df pwd echo stat basename dirname realpath readlink true false'
      .split(' ')
      .map((program) => [program, [{}]]),
  ),
  git: [
    // `-e`, `--edit` and `--edit-description` start an editor. Git takes them shortened too.
    { first: /^(status|log|diff|show|add|branch|ls-files|blame|rev-parse)$/, options: /^(?!--e(d|$)|-[A-Za-z]*e)/ },
  ],
  npm: [...SCRIPTS, { first: /^(ls|view)$/, options: NPM }],
  pnpm: SCRIPTS,
  yarn: SCRIPTS,
  cargo: [
    { first: /^test$/, options: CARGO, passes: true },
    { first: /^(build|check|fmt|clippy)$/, options: CARGO },
  ],
  go: [
    {
      first: /^(build|test|vet|fmt)$/,
      options:
        /^--?(a|bench(=.*)?|benchmem|count=\d+|cover|failfast|json|n|parallel=\d+|race|run(=.*)?|short|tags(=.*)?|timeout(=.*)?|v|x)$/,
    },
  ],
  pytest: [
    {
      options:
        /^(-[vqxslk]+|-m|-r[A-Za-z]+|--(co|collect-only|durations=\d+|ff|lf|maxfail=\d+|no-header|no-summary|tb=\w+))$/,
    },
  ],
  vitest: [
    {
      first: /^(run|related|list)$/,
      options: /^(-t|--(run|bail=\d+|maxWorkers=\d+|no-color|passWithNoTests|silent|testNamePattern(=.*)?))$/,
    },
  ],
  tsc: [{ options: /^(-[pb]|--(build|incremental|noEmit|pretty|project|skipLibCheck|strict|version))$/ }],
  eslint: [{ options: /^--(color|ext(=.*)?|max-warnings(=\d+)?|no-color|no-inline-config|quiet|version)$/ }],
};

/**
 * Returns true for a command that a pattern with a `*` may fit. A pattern that is read as a command has to pass too, so a `*`
 * stands for no program and no subcommand.
 */
export function isHarmless(command: readonly string[]): boolean {
  const [program = ''] = command;
  const known = Object.hasOwn(HARMLESS, program) ? (HARMLESS[program] ?? []) : [];
  return known.some((one) => isOneOf(one, command)) && !command.some((_, index) => isWayToRun(command, index));
}

function isOneOf({ first, second, options, passes }: Harmless, [, ...words]: readonly string[]): boolean {
  if (first?.test(words[0] ?? '') === false || second?.test(words[1] ?? '') === false) return false;
  const end = passes === true ? words.indexOf('--') : -1;
  const own = (end === -1 ? words : words.slice(0, end)).filter((word) => /^[-@]/.test(word) && word !== '--');
  return own.every((word) => options?.test(word) ?? true);
}
