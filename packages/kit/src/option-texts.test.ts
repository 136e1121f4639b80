// Tests the error messages of `createAgent` for wrong options. They contain the expected value and the existing
// options.

import { createScriptedProvider } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import { createAgent } from './create-agent.ts';

const provider = createScriptedProvider({ answers: [] });

test.each<[object, string]>([
  [{ limits: { banana: 1 } }, 'the options of limits are maxSteps, maxDurationMs, maxCost, maxTokens'],
  [{ permissions: { zzz: 1 } }, 'the options of permissions are mode, ask, rules, grants, allowUnsandboxed'],
  [{ host: { zzz: 1 } }, 'the options of host are environment, client, clock'],
  [{ mcp: { servers: { a: { command: 'x', zzz: 1 } } } }, 'the options of mcp.servers.a are command, args'],
  [{ workspace: { folder: '.', zzz: 1 } }, 'the options of workspace are folder, tools'],
  [{ permissions: { canUseTool: 1 } }, 'no option permissions.canUseTool: use permissions.ask'],
  [{ permissions: { allow: [] } }, "no option permissions.allow: use permissions.rules: [{ decision: 'allow', tool }]"],
  [{ permissions: { deny: [] } }, "no option permissions.deny: use permissions.rules: [{ decision: 'deny', tool }]"],
  [{ model: undefined }, 'model: is missing: name a model, such as claude-sonnet-5-5'],
  [{ model: 3 }, 'model: expected a string'],
  [{ apiKey: 3 }, 'apiKey: expected a string'],
  [{ maxOutputTokens: '5' }, 'maxOutputTokens: expected a number'],
  [{ limits: { maxSteps: 0 } }, 'limits.maxSteps: expected more than 0'],
  [{ limits: { maxSteps: 1.5 } }, 'limits.maxSteps: expected a whole number'],
  [{ limits: 5 }, 'limits: expected an object'],
  [{ permissions: { mode: 'yolo' } }, 'permissions.mode: expected one of "read-only", "ask", "accept-edits", "auto"'],
  [{ baseURL: 'foo' }, 'baseURL: expected an address such as https://example.org'],
  [{ mcp: { servers: { a: {} } } }, 'mcp.servers.a.command: is missing: expected a string'],
  [{ workspace: {} }, 'workspace.folder: is missing: name the folder that the agent works in'],
  [{ skills: {} }, 'skills.roots: is missing: list the folders of skills'],
  [{ hooks: { PreToolUse: [] } }, 'hooks: expected an array of hooks: use [{ on, run }]'],
  [
    { hooks: [{ on: 'before-tool', run: 3 }] },
    'hooks.0.run: expected a function, a program with its arguments, or a line',
  ],
  [{ hooks: [{ on: 'PreToolUse', run: 'x' }] }, 'hooks.0.on: expected one of "before-tool", "after-tool"'],
  [{ hooks: [{ on: 'turn-ended', run: 'x', tools: ['bash'] }] }, 'a hook on turn-ended is not asked about tools'],
  [{ hooks: [{ on: 'after-tool', run: 'x', whenItFails: 'deny' }] }, 'a hook on after-tool cannot deny'],
  [{ hooks: [{ on: 'after-tool', run: () => ({}), sandbox: true }] }, 'a function does not run in a sandbox'],
  [{ hooks: [{ on: 'after-tool', run: 'x', timeout: 3 }] }, 'no option hooks.0.timeout, did you mean timeoutMs?'],
  [{ hooks: [{ on: 'after-tool', run: 'x', timeoutMs: 90_000 }] }, 'hooks.0.timeoutMs'],
  [{ store: 'postgres://host/name' }, 'store: expected "memory", the path of a folder'],
  [{ store: 'sqlite:sessions.db' }, 'store: expected "memory", the path of a folder'],
])('`createAgent` refuses %j in plain words, and names what can be used', (options, words) => {
  const given = { model: 'claude-sonnet-5-5', provider, ...options };
  const message = expect.stringContaining(words);
  expect(() => Reflect.apply(createAgent, undefined, [given])).toThrow(
    expect.objectContaining({ code: 'kit/bad-options', message }),
  );
});
