// What may run, what is asked and what is denied, in words: the model plans better than it would by being refused.

import type { ContextSource } from '../ports/context-source.ts';
import type { Mode } from '../ports/permissions.ts';

/** What the runtime knows beside the mode. */
export interface PermissionModeOptions {
  /** What is executed need not ask in mode `auto`, sandbox or not. */
  readonly unconfined?: boolean;
}

const READS = 'Reading and searching run without asking.';
const ASKED =
  'What is asked is put to the user; where nobody is there to answer it is denied, and the result of the call says so.';

const WORDS: Readonly<Record<Mode, string>> = {
  'read-only': `Permission mode: read-only. ${READS}\nWriting files, running commands and the network are denied.`,
  ask: `Permission mode: ask. ${READS}\nWriting files, running commands and the network are asked first. ${ASKED}`,
  auto: `Permission mode: auto. ${READS} So does writing inside the workspace, and what runs in a sandbox.\nWriting outside the workspace, and commands and the network without a sandbox, are asked first. ${ASKED}`,
};

const UNCONFINED = `Permission mode: auto, unconfined. ${READS} So do writing inside the workspace, running commands and the network.\nWriting outside the workspace is asked first. ${ASKED}`;

/** Notes the permission mode, and each change of it at once: it is urgent. The revision is the mode. */
export function permissionModeSource({ unconfined = false }: PermissionModeOptions = {}): ContextSource {
  const isUnconfined = (mode: Mode): boolean => unconfined && mode === 'auto';
  return {
    name: 'permission-mode',
    urgent: true,
    revision: ({ mode }) => (isUnconfined(mode) ? `${mode}, unconfined` : mode),
    render: ({ mode }) => (isUnconfined(mode) ? UNCONFINED : WORDS[mode]),
    affectedBy: () => false,
  };
}
