// Variables that decide what a command runs, whatever its words say.

/** Variables that decide what runs: by where it is found, by being loaded into it, or by settings that name it. */
export const DECIDES: RegExp = new RegExp(
  `^(${[
    'PATH|ENV|BASH_ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|IFS|PS4|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHON.*|PERL5.*|RUBY.*',
    'JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|LUA_INIT.*|GOFLAGS|MAKEFILES|npm_config_script_shell',
    'GIT_CONFIG(_COUNT|_KEY_\\d+|_VALUE_\\d+|_PARAMETERS|_GLOBAL|_SYSTEM)?|GIT_EXEC_PATH|GIT_TEMPLATE_DIR',
  ].join('|')})$`,
);

/** Settings of git that are switched off. */
const NO_SETTINGS = /^GIT_CONFIG_(GLOBAL|SYSTEM)$/;

/** Returns true where a variable of this value decides what runs. `undefined` is a value that only the running shell knows. */
export function decides(name: string, value: string | undefined): boolean {
  if (!DECIDES.test(name)) return false;
  return !(NO_SETTINGS.test(name) && value === '/dev/null') && !(name === 'GIT_CONFIG_COUNT' && value === '0');
}
