// `tidemark mcp prompt` and `tidemark mcp resource`: print a text of a server, for example to pipe it into a prompt.

import { resolve } from 'node:path';

import type { McpServer } from '@tidemark/kit';
import { readServerBytes, readServerPrompt, readServerResource } from '@tidemark/kit';
import { openLogins } from '@tidemark/settings';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { writeNewFile } from '../frame/new-file.ts';
import { formatNumber } from '../frame/numbers.ts';
import { resolveServer } from '../settings/mcp-servers.ts';
import { usableServer } from './known-servers.ts';
import type { McpRequest } from './request.ts';
import { requireName } from './request.ts';

/** Prints the text of a prompt. The words after its name are its arguments, `name=value`. */
export async function printPrompt(request: McpRequest, context: CommandContext): Promise<CommandOutcome> {
  const [prompt, ...words] = request.target;
  if (prompt === undefined) throw missing('the name of a prompt', request);
  const given = Object.fromEntries(words.map(argumentOf));
  const { name, server } = await serverOf(request, 'prompt', context);
  const { signal } = context;
  const text = await readServerPrompt(name, server, { prompt, given, signal, authorizations: openLogins(context) });
  context.output.result({ server: name, prompt, text }, () => text);
  return undefined;
}

/** Prints the text of a resource. */
export async function printResource(request: McpRequest, context: CommandContext): Promise<CommandOutcome> {
  const [uri, extra] = request.target;
  if (uri === undefined) throw missing('the address of a resource', request);
  if (extra !== undefined)
    throw new CliError('cli/usage', `\`tidemark mcp resource\` does not accept ${extra}`, 'remove it');
  const { name, server } = await serverOf(request, 'resource', context);
  const reading = { uri, signal: context.signal, authorizations: openLogins(context) };
  const { out } = request.flags;
  if (out !== undefined) {
    const path = resolve(context.folder, out);
    const bytes = Buffer.concat(await readServerBytes(name, server, reading));
    await writeNewFile(path, bytes, '--out plan.pdf');
    context.output.result({ server: name, uri, path, bytes: bytes.length }, () => [
      `wrote ${path} (${formatNumber(bytes.length)} bytes)`,
    ]);
    return undefined;
  }
  const text = await readServerResource(name, server, reading);
  context.output.result({ server: name, uri, text }, () => text);
  return undefined;
}

async function serverOf(
  request: McpRequest,
  action: string,
  context: CommandContext,
): Promise<{ readonly name: string; readonly server: McpServer }> {
  const name = requireName(request, action);
  const { setting } = await usableServer(name, request.flags, context);
  return { name, server: resolveServer(setting, context.environment) };
}

function missing(what: string, { name = '<name>' }: McpRequest): CliError {
  return new CliError('cli/usage', `${what} is missing`, `\`tidemark mcp test ${name}\` lists them`);
}

function argumentOf(word: string): readonly [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new CliError('cli/usage', `${word} is not an argument of a prompt`, 'write it as name=value');
}
