// Bundles the program of the command with all its libraries. A start then reads a few files instead of more than a
// thousand. The licences of the bundled libraries are written next to the bundle.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Plugin } from 'rolldown';
import { rolldown } from 'rolldown';

/**
 * Packages that cannot be bundled. They contain files other than JavaScript, or their files are loaded by another process
 * (`unpdf`). They remain dependencies.
 */
export const NOT_BUNDLED: readonly string[] = ['sharp', '@vscode/ripgrep', '@napi-rs/keyring', 'unpdf'];

/** Packages that a user installs next to the command for a feature, such as artifacts in a bucket of S3. */
const OPTIONAL: readonly string[] = ['@aws-sdk/client-s3'];

/** Package that Ink imports only when the variable `DEV` is set. It is not installed. */
const DEVELOPMENT_ONLY = 'react-devtools-core';

/** A program to bundle. `target` is the syntax of the output. */
export interface BundledProgram {
  /** Path of the source file. */
  readonly entry: string;
  /** Folder of the output. The entry becomes `main.js` in it. */
  readonly to: string;
  readonly target: string;
}

/** Writes the bundle of a program, and `THIRD-PARTY.txt` with the licences of the libraries in it. */
export async function bundleProgram({ entry, to, target }: BundledProgram): Promise<void> {
  const bundle = await rolldown({
    input: { main: entry },
    platform: 'node',
    external: [...NOT_BUNDLED, ...OPTIONAL, DEVELOPMENT_ONLY],
    // The default entry of `jsonc-parser` cannot be bundled. Its `module` entry is made for bundlers.
    resolve: { mainFields: ['module', 'main'] },
    plugins: [DECODED_LAYOUT],
    // React contains its checks for developers otherwise, which take time at each start.
    transform: { target, define: { 'process.env.NODE_ENV': '"production"' } },
  });
  try {
    const { output } = await bundle.write({ dir: to, format: 'esm', chunkFileNames: 'program/[name].js' });
    const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    await writeFile(join(to, 'THIRD-PARTY.txt'), await licencesOf(modules));
  } finally {
    await bundle.close();
  }
}

/**
 * The layout library of Ink reads its WebAssembly with `fetch` from a `data:` address, and decodes it itself where
 * there is no `fetch`. The first `fetch` of a process loads an HTTP client, which takes 20 to 40 ms. The bundle
 * therefore always decodes it.
 */
const DECODED_LAYOUT: Plugin = {
  name: 'decoded-layout',
  transform: {
    filter: { id: /yoga-layout\/dist\/binaries\/yoga-wasm-base64-esm\.js$/ },
    handler(code) {
      const decoded = code.replaceAll('"function"!=typeof fetch', '!0');
      if (decoded === code)
        throw new Error('yoga-layout no longer tests for `fetch`: see how it reads its WebAssembly');
      return { code: decoded, map: null };
    },
  },
};

/** Returns the names and licences of the packages that contain these modules. Packages of this project are left out. */
async function licencesOf(modules: readonly string[]): Promise<string> {
  const folders = new Set(
    modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  );
  const packages = await Promise.all([...folders].map(licenceIn));
  const rule = `\n${'-'.repeat(80)}\n`;
  return [HEAD, ...[...new Set(packages)].toSorted()].join(rule);
}

const HEAD = 'The program of this package contains the following libraries, each under its own licence.';

/**
 * Returns the name, the version and the licence text of the package in a folder.
 * @throws Error if the package declares no licence.
 */
async function licenceIn(folder: string): Promise<string> {
  const { name, version, license }: { readonly name: string; readonly version: string; readonly license?: string } =
    JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (license === undefined) throw new Error(`${folder} declares no licence, so it cannot be bundled`);
  const files = (await readdir(folder)).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n');
}
