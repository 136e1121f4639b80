// Opens the interactive terminal: the session, its controller and the screen.

import type { Log, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import { needsAscii } from '../frame/ascii-text.ts';
import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import { VERSION } from '../frame/version.ts';
import { reportRunning } from '../present/process-line.ts';
import { displayIn } from '../settings/display-in.ts';
import type { AgentRequest, PreparedAgent } from '../turns/open-agent.ts';
import { prepareAgent } from '../turns/open-agent.ts';
import { restoreOptions } from '../turns/restore-files.ts';
import type { OwnedController } from './control/create-controller.ts';
import { createController } from './control/create-controller.ts';
import type { SessionsPlace } from './control/shown-session.ts';
import { firstScreen } from './first-screen.ts';
import type { ForcedEnd } from './guard-process.ts';
import { endBy, guardProcess } from './guard-process.ts';
import { editFile } from './editor/sources/external-editor.ts';
import { createEditorPorts } from './editor/editor-ports.ts';
import { runPlainTerminal } from './plain-terminal.ts';
import { reflowIn } from './screen/reflow.ts';
import { showScreen } from './screen/show-screen.ts';
import { restoreTypedAhead } from './screen/typed-ahead.ts';
import type { SlashPlace } from './slash/slash-command.ts';
import type { SlashCommands } from './slash/slash-commands.ts';
import { createSlashCommands } from './slash/slash-commands.ts';
import { openWithWaysIn } from './ways-in.ts';

/** Request for an interactive terminal. */
export interface TerminalRequest extends Pick<AgentRequest, 'flags' | 'session'> {
  /** True to append plain lines and to draw no screen. */
  readonly plain: boolean;
}

/** Runs the interactive terminal until the user leaves it. */
export async function openTerminal(request: TerminalRequest, context: CommandContext): Promise<CommandOutcome> {
  const { notify = 'bell', theme } = await displayIn(context.folder, context);
  const place: TerminalPlace = { flags: request.flags, isShown: false, isPlain: request.plain, notes: [] };
  const controller: OwnedController = createController({
    sessions: await sessionsOf(place, context, () => controller),
    dispatch: (draft) => slash.dispatch(draft),
    meantBy: (draft) => slash.meantBy(draft),
    ...(theme !== undefined && { theme }),
    ...(notify !== 'off' && { alert: (text: string) => void process.stdout.write(alertOf(notify, text)) }),
  });
  const slash = createSlashCommands({
    controller,
    context,
    trusted: request.flags.trust === true,
    ...terminalOf(process.stdout),
    editFile: (path) => editFile(path, { environment: context.environment, folder: controller.workspace() }),
  });
  let forced: ForcedEnd = {};
  try {
    const { session } = request;
    // An existing session keeps its provider, so there is no other way in.
    if (session !== undefined) await controller.openSession({ open: 'existing', id: session.id });
    else
      await openWithWaysIn(request.flags, context, (flags) => {
        place.flags = flags;
        return controller.openSession({ open: 'new' });
      });
    if (session === undefined && !request.plain) controller.print(await firstLines(place, context));
    if (place.notes.length > 0) controller.print(place.notes.splice(0));
    place.isShown = !request.plain;
    if (request.plain) await runPlainTerminal(controller, context);
    else forced = await runScreen(controller, slash, context);
  } finally {
    slash.close();
    for (const note of place.notes) context.output.note(note);
    const { session, running, queued } = controller.state.get();
    if (running) context.output.note(withStyle('dim', 'ending the turn …'));
    const live = controller.session();
    if (live !== undefined) reportRunning(live, context.output);
    await controller.close();
    for (const { text } of queued) context.output.note([withStyle('yellow', 'not sent'), `: ${text}`]);
    await sayContinue(session, context);
  }
  if (forced.error !== undefined) throw forced.error;
  return forced.exit === undefined ? undefined : { exit: forced.exit };
}

/** State of the terminal that its parts share. */
interface TerminalPlace {
  flags: AgentFlags;
  isShown: boolean;
  readonly isPlain: boolean;
  /** Notes from the time before the screen. The screen prints them, so that they break between words. */
  readonly notes: Shown[];
  /** Agent that was prepared last. */
  prepared?: PreparedAgent;
}

async function firstLines({ prepared }: TerminalPlace, context: CommandContext): Promise<readonly Shown[]> {
  if (prepared === undefined) return [];
  const { agent, flags, trust } = prepared;
  return firstScreen({
    version: VERSION,
    model: agent.capabilities.model,
    isSimulated: flags.provider === 'simulator',
    folder: context.folder,
    userFolder: context.environment['HOME'],
    trust: (await trust?.()) ?? 'nothing',
    isRoot: process.getuid?.() === 0,
  });
}

/** Returns the sessions that the terminal can show. */
async function sessionsOf(
  place: TerminalPlace,
  context: CommandContext,
  controller: () => OwnedController,
): Promise<SessionsPlace> {
  return {
    log: await context.store(),
    folder: context.folder,
    async prepare(session) {
      place.prepared = await prepareAgent(
        { flags: place.flags, ...(session !== undefined && { session }) },
        contextOf(place, context, controller()),
        controller().ask,
      );
      return place.prepared;
    },
    restoring: (plan) => restoreOptions(plan, context),
  };
}

/** Shows the screen until the user leaves it, or until a signal or an error ends it. */
async function runScreen(
  controller: OwnedController,
  { completions }: SlashCommands,
  context: CommandContext,
): Promise<ForcedEnd> {
  const { signal } = context;
  const ended = Promise.withResolvers<ForcedEnd>();
  const release = guardProcess(process, ended.resolve);
  const leave = (): void => controller.leave();
  signal.addEventListener('abort', leave, { once: true });
  const { stdout, stdin } = process;
  const failed = (error: unknown): void => ended.resolve(endBy(error));
  const ports = createEditorPorts({ context, workspace: controller.workspace, commands: completions });
  let hide: (() => Promise<void>) | undefined;
  try {
    const typed = await restoreTypedAhead(stdin);
    // The terminal has shown the typed text.
    if (typed) stdout.write('\r\u001b[K');
    hide = showScreen(controller, {
      stdout,
      stdin,
      colour: context.output.colour,
      ascii: needsAscii(context.environment),
      reflow: reflowIn(context.environment),
      // Text that was typed in advance is not mixed with an old draft. It is offered at the next start.
      ports: typed ? { ...ports, draft: { ...ports.draft, findLeft: async () => undefined } } : ports,
      failed,
    });
    return await Promise.race([ended.promise, controller.left.then(() => ({}))]);
  } finally {
    // The error of the screen is in `ended`.
    await hide?.().catch(() => undefined);
    signal.removeEventListener('abort', leave);
    release();
  }
}

async function sayContinue(session: SessionId | undefined, { output, store }: CommandContext): Promise<void> {
  if (session === undefined) return;
  if (await hasRecord(await store(), session))
    output.note(['session ', withStyle('cyan', session), '; continue with `tidemark --continue`']);
}

/** Returns false for a session that was removed in the meantime. */
async function hasRecord(log: Log, session: SessionId): Promise<boolean> {
  try {
    for await (const _record of log.read(session)) return true;
  } catch (error) {
    // A session that cannot be read now still exists.
    return !(error instanceof LogError && error.code === 'log/missing');
  }
  return false;
}

/** Returns the size of a terminal, and a function that writes control sequences to it. */
function terminalOf(stdout: NodeJS.WriteStream): Pick<SlashPlace, 'size' | 'writeSequence'> {
  return {
    size: () => ({ columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 }),
    writeSequence: (sequence) => void stdout.write(sequence),
  };
}

/** Returns the characters that ring the bell or show a notification. They do not move the cursor. */
function alertOf(notify: 'bell' | 'osc9', text: string): string {
  return notify === 'bell' ? '\u0007' : `\u001b]9;Tidemark: ${text}\u0007`;
}

/** Returns the context in which an agent is prepared. */
function contextOf(
  { isShown, isPlain, notes }: TerminalPlace,
  context: CommandContext,
  controller: OwnedController,
): CommandContext {
  if (isShown) return quietContext(context, controller);
  return isPlain ? context : { ...context, output: { ...context.output, note: (shown) => void notes.push(shown) } };
}

/**
 * Returns the context while the screen is shown. Notices are printed above the editor. Questions of the plain command
 * cannot be asked, because the screen has the keyboard.
 */
function quietContext(context: CommandContext, { print }: OwnedController): CommandContext {
  const { input, output } = context;
  return {
    ...context,
    input: { ...input, terminal: false, rows: input.rows, columns: input.columns },
    output: { ...output, note: (shown) => print([shown]), line: (shown) => print([shown]) },
  };
}
