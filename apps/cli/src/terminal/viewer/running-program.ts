// Program of the user that has the terminal, such as an editor. The screen is drawn again when it has ended.

import { useEffect } from 'react';

import type { Controller } from '../state/controller.ts';
import type { ProgramPanel } from '../state/terminal-state.ts';
import { useHandover } from './handover.ts';

/** Properties of a running program. */
export interface RunningProgramProperties {
  readonly controller: Controller;
  readonly panel: ProgramPanel;
}

/** Hands the terminal over to a program, and closes its panel when the program has ended. */
export function RunningProgram({ controller, panel }: RunningProgramProperties): null {
  const handOver = useHandover(controller);
  useEffect(() => {
    handOver(panel.run).catch(controller.report).finally(panel.close);
  }, [panel]);
  return null;
}
