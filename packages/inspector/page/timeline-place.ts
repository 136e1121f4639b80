// Selected call of a timeline and the address: a link selects a call, and the address follows the selection.

import type { Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useKeptAddress } from './kept-address.ts';
import { linkTo, route } from './route.ts';
import type { BarScale, StreamTimeline } from './timeline-calls.ts';

interface SelectedPlace {
  readonly session: string;
  readonly stream: StreamTimeline;
  /** Name of the stream. */
  readonly name: string;
  /** Name of the stream that was chosen. */
  readonly named: Signal<string>;
  readonly scale: Signal<BarScale>;
  readonly selected: Signal<number>;
}

/** Selects the step of each new address, or else the last call, and keeps the address at the selected step. */
export function useSelectedPlace(place: SelectedPlace): void {
  const { session, stream, name, named, scale, selected } = place;
  const step = stream.calls[selected.value]?.step;
  const written = useKeptAddress(
    step === undefined
      ? undefined
      : linkTo(['sessions', session, 'timeline'], {
          step: String(step),
          ...(name !== 'main' && { stream: name }),
          ...(scale.value !== 'tokens' && { scale: scale.value }),
        }),
  );
  const asked = useRef<string | undefined>(undefined);
  const shown = useRef<string | undefined>(undefined);
  const { value: present } = route;
  useLayoutEffect(() => {
    if (location.hash === written.current) return;
    named.value = present.values.get('stream') ?? 'main';
    scale.value = present.values.get('scale') === 'cost' ? 'cost' : 'tokens';
    asked.current = present.values.get('step') ?? '';
  }, [present]);
  useLayoutEffect(() => {
    if (asked.current === undefined && shown.current === name) return;
    // The step of the address belongs to its stream, which is shown after the next painting.
    if (asked.current !== undefined && named.value !== name && shown.current === name) return;
    const wanted = asked.current;
    const found = stream.calls.findIndex((call) => String(call.step) === wanted);
    selected.value = found === -1 ? stream.calls.length - 1 : found;
    [asked.current, shown.current] = [undefined, name];
  }, [present, stream]);
}
