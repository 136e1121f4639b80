// Key files: lists files and folders that contain keys, by their well-known names. File tools refuse these paths, and
// the sandbox hides them.

import { delimiter, isAbsolute, join } from 'node:path';
import { pathInside } from './path-inside.ts';
import { resolveLinksNow } from './resolve-links.ts';

/** A file or folder that contains keys. */
export interface KeyPlace {
  /** Absolute path. Links are not followed. The path need not exist. */
  readonly path: string;
  /** Description of the content, such as `keys of SSH`. */
  readonly holds: string;
}

/** Places where key files are searched for. */
export interface KeyOptions {
  /** Absolute path of the user's home folder. */
  readonly home?: string | undefined;
  /**
   * Variables that change the place of key files, such as `XDG_CONFIG_HOME` and `KUBECONFIG`. Relative paths in these
   * variables are ignored.
   */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

const CLOUD = 'credentials of a cloud';
const CLUSTER = 'credentials of a cluster';
const REGISTRY = 'credentials of a package registry';
const DATABASE = 'credentials of a database';
const AGENT = 'credentials and sessions of an agent';
const PASSWORDS = 'passwords';
const BROWSER = 'passwords and sessions of a browser or mail program';
const TYPED = 'commands typed earlier, which may contain keys';
const CODE = 'credentials of a code host';

/**
 * Names of files and folders that contain keys in any folder, with a description of the keys. File tools refuse these
 * names everywhere.
 */
const ANYWHERE: readonly (readonly [holds: string, names: string])[] = [
  ['keys of SSH', '.ssh'],
  ['keys of GnuPG', '.gnupg'],
  [CLOUD, '.aws .azure .s3cfg .boto'],
  [CLUSTER, '.kube'],
  ['credentials', '.netrc _netrc'],
  ['credentials of Vault', '.vault-token'],
  [REGISTRY, '.pypirc'],
  [DATABASE, '.pgpass .my.cnf .mylogin.cnf'],
  ['credentials of git', '.git-credentials'],
  [PASSWORDS, '.password-store'],
  [TYPED, '.bash_history .zsh_history .psql_history .python_history .node_repl_history .mysql_history'],
  [TYPED, '.sqlite_history .rediscli_history'],
];

/**
 * Paths in a home folder that contain keys, with a description of the keys. In other folders, files with the same names
 * often belong to a project.
 */
const IN_HOME: readonly (readonly [holds: string, names: string])[] = [
  [CLUSTER, '.docker .config/containers/auth.json'],
  [
    CLOUD,
    '.config/gcloud .config/hcloud .config/doctl .fly .oci .aliyun .config/configstore .cloudflared .databrickscfg',
  ],
  [
    CLOUD,
    '.terraform.d/credentials.tfrc.json .terraformrc .pulumi/credentials.json .config/rclone/rclone.conf .rclone.conf',
  ],
  [CLOUD, '.local/share/com.vercel.cli .config/netlify .config/.wrangler .railway .config/ngrok .config/stripe'],
  [CODE, '.config/gh .config/hub .config/glab-cli .config/git/credentials .config/github-copilot'],
  [
    REGISTRY,
    '.npmrc .yarnrc.yml .cargo/credentials .cargo/credentials.toml .gem/credentials .local/share/gem/credentials',
  ],
  [REGISTRY, '.m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties'],
  [REGISTRY, '.nuget/NuGet/NuGet.Config .config/NuGet/NuGet.Config .composer/auth.json .config/composer/auth.json'],
  [
    'credentials of a model hub',
    '.cache/huggingface/token .cache/huggingface/stored_tokens .huggingface/token .kaggle/kaggle.json',
  ],
  ['keys of encrypted files', '.config/sops/age'],
  [PASSWORDS, '.config/op .config/1Password .local/share/keyrings .local/share/kwalletd Library/Keychains'],
  [
    BROWSER,
    '.mozilla .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge .config/vivaldi',
  ],
  [BROWSER, '.thunderbird'],
  [AGENT, '.anthropic .claude .claude.json .codex .gemini .config/Cursor .local/share/opencode/auth.json'],
  [AGENT, '.pi/agent/auth.json'],
  [TYPED, '.local/share/fish/fish_history'],
];

/**
 * Variables that name a place of keys. Without `below`, the value is the path of the key file or key folder itself.
 * With `below`, the value is the path of a folder, and the names in `below` are the key files in it.
 */
const NAMED_BY: readonly (readonly [holds: string, variables: string, below?: string])[] = [
  ['keys of GnuPG', 'GNUPGHOME'],
  [
    CLOUD,
    'AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE AZURE_CONFIG_DIR CLOUDSDK_CONFIG GOOGLE_APPLICATION_CREDENTIALS',
  ],
  [CLOUD, 'RCLONE_CONFIG BOTO_CONFIG TF_CLI_CONFIG_FILE DATABRICKS_CONFIG_FILE OCI_CLI_CONFIG_FILE FLY_CONFIG_DIR'],
  [CLOUD, 'PULUMI_HOME', 'credentials.json'],
  [CLUSTER, 'KUBECONFIG DOCKER_CONFIG REGISTRY_AUTH_FILE'],
  ['credentials', 'NETRC'],
  [REGISTRY, 'NPM_CONFIG_USERCONFIG npm_config_userconfig'],
  [REGISTRY, 'CARGO_HOME', 'credentials credentials.toml'],
  [REGISTRY, 'GRADLE_USER_HOME', 'gradle.properties'],
  [REGISTRY, 'COMPOSER_HOME', 'auth.json'],
  [DATABASE, 'PGPASSFILE'],
  [CODE, 'GH_CONFIG_DIR GLAB_CONFIG_DIR'],
  ['credentials of a model hub', 'HF_HOME', 'token stored_tokens'],
  ['credentials of a model hub', 'HF_TOKEN_PATH'],
  ['credentials of a model hub', 'KAGGLE_CONFIG_DIR', 'kaggle.json'],
  ['keys of encrypted files', 'SOPS_AGE_KEY_FILE'],
  [PASSWORDS, 'PASSWORD_STORE_DIR'],
  [AGENT, 'CLAUDE_CONFIG_DIR CODEX_HOME'],
  [TYPED, 'HISTFILE PSQL_HISTORY MYSQL_HISTFILE PYTHON_HISTORY NODE_REPL_HISTORY SQLITE_HISTORY REDISCLI_HISTFILE'],
];

/** Variables that change the place of a whole folder of the home, including all key files in it. */
const MOVED: readonly (readonly [variable: string, folder: string])[] = [
  ['XDG_CONFIG_HOME', '.config/'],
  ['XDG_DATA_HOME', '.local/share/'],
  ['XDG_CACHE_HOME', '.cache/'],
];

/** Description of the keys, by the name of the file or folder. Contains only names that are refused in any folder. */
export const KEY_NAMES: ReadonlyMap<string, string> = new Map(pairs(ANYWHERE));

const HOME_NAMES = [...KEY_NAMES, ...pairs(IN_HOME)];

function pairs(lists: readonly (readonly [string, string])[]): readonly (readonly [name: string, holds: string])[] {
  return lists.flatMap(([holds, names]) => names.split(' ').map((name) => [name, holds] as const));
}

/**
 * Returns the key files and key folders of a home. Also returns those whose place is changed by variables. If a key
 * folder contains the home, it is omitted. To refuse or hide it would block everything in the home.
 */
export function keyPlaces({ home, environment = {} }: KeyOptions): readonly KeyPlace[] {
  const set = (variable: string): string =>
    (Object.hasOwn(environment, variable) ? environment[variable] : undefined) ?? '';
  const homes = home === undefined ? [] : [...new Set([home, resolveLinksNow(home)])];
  const places = [
    ...homes.flatMap((each) => HOME_NAMES.map(([name, holds]) => ({ path: join(each, name), holds }))),
    ...MOVED.flatMap(([variable, folder]) => movedPlaces(set(variable), folder)),
    ...NAMED_BY.flatMap(([holds, variables, below]) =>
      variables.split(' ').flatMap((variable) => namedPlaces(set(variable), holds, below)),
    ),
  ];
  return places.filter(({ path }) => homes.every((each) => pathInside(path, each) === undefined));
}

function movedPlaces(to: string, folder: string): readonly KeyPlace[] {
  if (!isAbsolute(to)) return [];
  return HOME_NAMES.filter(([name]) => name.startsWith(folder)).map(([name, holds]) => ({
    path: join(to, name.slice(folder.length)),
    holds,
  }));
}

/**
 * Returns the key files and key folders for one value of a variable. The value may be a list of paths, as in
 * `KUBECONFIG`. Relative paths are ignored.
 */
function namedPlaces(value: string, holds: string, below: string | undefined): readonly KeyPlace[] {
  const paths = value.split(delimiter).filter((path) => isAbsolute(path));
  return paths.flatMap((path) => (below?.split(' ') ?? ['']).map((name) => ({ path: join(path, name), holds })));
}
