// Legend of the timeline. Its samples are painted with the patterns of the chart.

import { useEffect, useRef } from 'preact/hooks';
import type { BarScale } from './timeline-calls.ts';
import type { BarPart } from './timeline-paint.ts';
import { readTheme } from './timeline-paint.ts';

const PARTS: Readonly<Record<BarScale, readonly (readonly [part: BarPart, text: string])[]>> = {
  tokens: [
    ['read', 'read from the cache'],
    ['written', 'written to the cache'],
    ['fresh', 'fresh, not cached'],
    ['untold', 'input of an unknown part'],
    ['output', 'output'],
  ],
  cost: [
    ['held', 'cost'],
    ['again', 'additional cost of tokens that were paid again'],
  ],
};

/** Explains the parts of a bar and the marks. */
export function TimelineLegend({ scale }: { readonly scale: BarScale }) {
  return (
    <ul class="legend">
      {PARTS[scale].map(([part, text]) => (
        <li key={part}>
          <Sample part={part} /> {text}
        </li>
      ))}
      <li>
        {scale === 'tokens' ? 'narrow bar or line: forecast of the input' : 'line: forecast cost before the answer'}
      </li>
      <li>
        <span class="miss">▼</span> tokens paid again
      </li>
      <li>
        <span class="epoch">◆</span> new epoch
      </li>
      <li>? {scale === 'tokens' ? 'tokens' : 'cost'} unknown</li>
      <li>bands: epochs</li>
    </ul>
  );
}

function Sample({ part }: { readonly part: BarPart }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context === null || context === undefined) return undefined;
    const paint = (): void => {
      context.fillStyle = readTheme(context).parts[part];
      context.fillRect(0, 0, 22, 14);
    };
    paint();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', paint);
    return () => dark.removeEventListener('change', paint);
  }, [part]);
  return <canvas ref={canvas} width={22} height={14} aria-hidden="true" />;
}
