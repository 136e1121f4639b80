// Shows lines of a slash command: below the conversation, or in the viewer if they are longer than the screen.

import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { formatNumber } from '../../frame/numbers.ts';
import type { SlashPlace } from './slash-command.ts';

/** Rows of the screen that stay free below printed lines: the editor and the status line. */
const FREE_ROWS = 8;

/** Shows the lines. Resolves when the user has closed the viewer, or at once if the lines are printed. */
export async function showLines(
  title: string,
  lines: readonly Shown[],
  { controller, size }: Pick<SlashPlace, 'controller' | 'size'>,
): Promise<void> {
  if (lines.length <= Math.max(1, size().rows - FREE_ROWS)) {
    controller.print([withStyle('dim', title), ...lines]);
    return;
  }
  controller.print([withStyle('dim', `${title}: ${formatNumber(lines.length)} lines in the viewer`)]);
  await controller.view(title, lines);
}
