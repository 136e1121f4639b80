// List of the values of a setting. The current value is marked, so that the list also shows what applies now.

import type { Shown } from '../../frame/shown.ts';
import type { Controller } from '../state/controller.ts';

/** Values of a setting with their explanations, and the one that applies now, if it is known. */
export interface SettingValues<Value extends string> {
  readonly values: readonly (readonly [value: Value, note?: string])[];
  readonly current: string | undefined;
}

/** Lets the user choose a value. The mark of the list begins at the current value. Returns `undefined` after Esc. */
export async function chooseValue<Value extends string>(
  title: readonly Shown[],
  { values, current }: SettingValues<Value>,
  { choose }: Pick<Controller, 'choose'>,
): Promise<Value | undefined> {
  const options = values.map(([label, note]) => {
    const notes = [...(label === current ? ['in use'] : []), ...(note === undefined ? [] : [note])];
    return notes.length === 0 ? { label } : { label, note: notes.join(', ') };
  });
  const at = values.findIndex(([value]) => value === current);
  const index = await choose(title, options, Math.max(0, at));
  return index === undefined ? undefined : values[index]?.[0];
}
