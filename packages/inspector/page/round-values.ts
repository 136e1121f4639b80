// Round values of a scale, for the lines of a chart.

/** Returns 0 and up to five round values up to the largest. */
export function roundValues(largest: number): readonly number[] {
  if (!(largest > 0)) return [0];
  const rough = largest / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const distance = unit * ([1, 2, 5, 10].find((one) => one * unit >= rough) ?? 10);
  return Array.from({ length: Math.floor(largest / distance) + 1 }, (_, index) => index * distance);
}
