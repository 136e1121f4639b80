// Formats sizes for people.

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/**
 * Formats bytes in the largest unit in which the value is at least 1. Each unit is 1000 of the next smaller unit.
 * Except for bytes, the value has one decimal: `1.2 MB`.
 */
export function plainSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power] ?? 'B'}`;
}
