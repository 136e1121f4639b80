// `tidemark mcp`: adds, removes, lists and tests MCP servers of the settings.

import { Argument, Option } from 'commander';

import { addServer } from '../mcp/add-server.ts';
import { listServers } from '../mcp/list-servers.ts';
import { logInAtServer, logOutAtServer } from '../mcp/log-in-at-server.ts';
import { printPrompt, printResource } from '../mcp/print-content.ts';
import { removeServer } from '../mcp/remove-server.ts';
import type { McpFlags, McpRequest } from '../mcp/request.ts';
import { testServer } from '../mcp/test-server.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { envOf, serverHeaderOf } from '../arguments/server-values.ts';

/** Command `tidemark mcp`, which adds, removes, lists and tests MCP servers. */
export const mcp: Command = {
  name: 'mcp',
  summary: 'add, remove, list and test MCP servers, whose tools an agent can call, and log in at them',
  examples: [
    ['tidemark mcp add files -- npx -y @modelcontextprotocol/server-filesystem .', 'a program'],
    ['tidemark mcp add shop https://shop.example/mcp', 'an address'],
    [
      "tidemark mcp add hub https://hub.example/mcp --header 'Authorization: Bearer $HUB_TOKEN'",
      'with a token from a variable; the value is not stored',
    ],
    ['tidemark mcp add tax --scope workspace --env TAX_KEY -- tax-server', 'in .tidemark/config.json of this folder'],
    ['tidemark mcp list', 'each server with its state and its tools'],
    ['tidemark mcp test files', 'connects, and shows tools, prompts and resources with their sizes'],
    ['tidemark mcp login shop', 'in the browser, at a server that requires a login'],
    ['tidemark mcp prompt shop review order=17 | tidemark', 'sends a prompt of a server, with its arguments'],
    ['tidemark mcp resource shop stock://nails', 'prints a resource of a server'],
    ['tidemark mcp resource shop stock://plan --out plan.pdf', 'writes a resource to a new file, whatever its type'],
    ['tidemark mcp remove files', 'from the settings that name it'],
  ],
  declare: (command, run) =>
    void command
      .addArgument(new Argument('<action>', 'action').choices(Object.keys(ACTIONS)))
      .argument('[server]', 'name of the server: 1 to 32 letters, digits, "-", or single "_"')
      .argument(
        '[target...]',
        'address of the server, or `--` and the command that starts it; for `prompt` its name and arguments, for `resource` its address',
      )
      .addOption(
        new Option(
          '--scope <scope>',
          'settings to change: `user` for your own, `workspace` for .tidemark/config.json of this folder. Default for add: user.',
        ).choices(['user', 'workspace']),
      )
      .option(
        "--header <'Name: value'>",
        'header of each request to an address; repeatable. `$NAME` at the end stands for a variable.',
        serverHeaderOf,
      )
      .option(
        '--env <NAME>',
        'variable that the program gets; repeatable. `NAME=$OTHER` renames it, `NAME=value` sets a text.',
        envOf,
      )
      .option('--out <file>', 'with `resource`: write its bytes to a new file')
      .option('--trust', 'use the settings of the folder, for this run only')
      .option('--config <file>', "settings file that replaces the user's own settings")
      .action((action: keyof typeof ACTIONS, name: string | undefined, target: readonly string[], flags: McpFlags) =>
        run((context) => {
          if (flags.out !== undefined && action !== 'resource')
            throw new CliError('cli/usage', `\`tidemark mcp ${action}\` does not accept --out`, 'remove it');
          return ACTIONS[action]({ name, target, flags }, context);
        }),
      ),
};

type McpAction = (request: McpRequest, context: CommandContext) => Promise<CommandOutcome>;

const ACTIONS = {
  add: addServer,
  list: listServers,
  remove: removeServer,
  test: testServer,
  login: logInAtServer,
  logout: logOutAtServer,
  prompt: printPrompt,
  resource: printResource,
} as const satisfies Record<string, McpAction>;
