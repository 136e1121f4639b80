// Detects variables that change what a command runs. The words of the command do not matter for this.

/**
 * Matches variables that change what runs. They change where a program is found, load code into it, or contain settings
 * that name code.
 */
export const DECIDES: RegExp = new RegExp(
  `^(${[
    'PATH|ENV|BASH_ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|IFS|PS4|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHON.*|PERL5.*|RUBY.*',
    'JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|LUA_INIT.*|GOFLAGS|MAKEFILES|npm_config_script_shell',
    'GIT_CONFIG(_COUNT|_KEY_\\d+|_VALUE_\\d+|_PARAMETERS|_GLOBAL|_SYSTEM)?|GIT_EXEC_PATH|GIT_TEMPLATE_DIR',
  ].join('|')})$`,
);

/**
 * Harmless values of variables that `DECIDES` matches. Most of these values name no code. A folder for libraries is
 * accepted too. It is as harmless as a script that the command line names, because rules do not read files.
 */
const HARMLESS: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^GIT_CONFIG_(GLOBAL|SYSTEM)$/, /^\/dev\/null$/],
  [/^GIT_CONFIG_COUNT$/, /^0$/],
  [
    /^PYTHON(UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|IOENCODING|UTF8|WARNINGS|FAULTHANDLER|NOUSERSITE|TRACEMALLOC)$/,
    /^[\w:.-]*$/,
  ],
  [/^(PYTHONPATH|PERL5LIB|RUBYLIB)$/, /^[\w./:-]*$/],
  [/^RUBYOPT$/, /^-[wW][\w:-]*$/],
  [/^GOFLAGS$/, /^-(mod|count|race|v|trimpath|buildvcs|tags)(=[\w,]*)?$/],
  [
    /^NODE_OPTIONS$/,
    /^(--(max-(old-space|semi-space|http-header)-size=\d+|no-warnings|no-deprecation|trace-[\w-]+|enable-source-maps|experimental-(vm-modules|strip-types|transform-types|test-[\w-]+)|unhandled-rejections=\w+|stack-trace-limit=\d+|openssl-legacy-provider|dns-result-order=\w+)( +|$))+$/,
  ],
];

/**
 * Matches a value of `PATH` that contains `$PATH`. All other entries must be absolute folders, folders in the home, or
 * `node_modules/.bin`.
 */
const WIDER_PATH =
  /^"?(?=.*\$(PATH\b|\{PATH\}))((\$PATH|\$\{PATH\}|(\$HOME|\$\{HOME\}|~|\$PWD|\$\(pwd\)|\.)?\/?node_modules\/\.bin|(\$HOME|\$\{HOME\}|~)?\/[\w./-]+)(:|(?="?$)))+"?$/;

/**
 * Returns true if a variable with this value changes what runs. If only the running shell knows the value, `value` is
 * `undefined`. `written` is the value as it is written in the line.
 */
export function decides(name: string, value: string | undefined, written = ''): boolean {
  if (!DECIDES.test(name)) return false;
  if (name === 'PATH' && WIDER_PATH.test(written)) return false;
  return value === undefined || !HARMLESS.some(([known, harmless]) => known.test(name) && harmless.test(value));
}
