// Decides if a draft is a command.
//
// - A text whose first word is `/` and a name (letters, digits, `-` and `_`, with a letter first) is a slash command. An
//   unknown name is reported, and the text is never sent to the model.
// - `!` and a text is a command of the user.
// - Every other text is a prompt: a path (`/etc/hosts is empty`), `// TODO`, and a text that begins with a space.
// - `/skill <name>` is a prompt that loads a skill.

/** Draft that is a command. */
export type DraftCommand =
  | { readonly kind: 'slash'; readonly name: string; readonly text: string }
  | { readonly kind: 'shell'; readonly line: string };

/** Returns the command in the text of a draft, or `undefined` for a prompt. */
export function parseDraft(draft: string): DraftCommand | undefined {
  const text = draft.trimEnd();
  if (text === '/') return { kind: 'slash', name: 'help', text: '' };
  const [, name, rest = ''] = /^\/([a-zA-Z][\w-]*)(?:\s+([^]*))?$/.exec(text) ?? [];
  if (name !== undefined && name !== 'skill') return { kind: 'slash', name: name.toLowerCase(), text: rest };
  return text.startsWith('!') ? { kind: 'shell', line: text.slice(1).trim() } : undefined;
}

/** Returns the text in a form that is always a prompt: with a space before a text that would be a command. */
export function asPrompt(text: string): string {
  return parseDraft(text) === undefined ? text : ` ${text}`;
}
