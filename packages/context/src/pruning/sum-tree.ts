// A list of vectors with their running sums (a Fenwick tree): appending, changing one item and summing any beginning each cost the
// logarithm of the length, so that a step never adds up the whole session.

/** A growing list of vectors of one width. Mutable: the one owner is `prunable.ts`. */
export interface SumTree {
  readonly width: number;
  /** Node `i` holds the sum of the items that end at index `i`, as many as the lowest set bit of `i + 1`. */
  readonly nodes: number[][];
}

/** Returns an empty list of vectors of this width. */
export function sumTree(width: number): SumTree {
  return { width, nodes: [] };
}

/** Appends a zero vector. */
export function appendZero(tree: SumTree): void {
  const end = tree.nodes.length + 1;
  const node = zeros(tree);
  for (let step = 1; step < lowBit(end); step *= 2) add(node, tree.nodes[end - step - 1], 1);
  tree.nodes.push(node);
}

/** Adds a vector to the item at this index, `times` times: 1 adds it, -1 takes it away. */
export function addAt(tree: SumTree, index: number, vector: readonly number[], times: 1 | -1): void {
  for (let end = index + 1; end <= tree.nodes.length; end += lowBit(end)) add(tree.nodes[end - 1], vector, times);
}

/** Returns the sum of the first `length` items. */
export function sumOfFirst(tree: SumTree, length: number): readonly number[] {
  const sum = zeros(tree);
  for (let end = Math.min(length, tree.nodes.length); end > 0; end -= lowBit(end)) add(sum, tree.nodes[end - 1], 1);
  return sum;
}

/** Returns the index of the first item at or behind `index` whose first number is positive, where none is negative. */
export function firstPositive(tree: SumTree, index: number): number | undefined {
  const before = sumOfFirst(tree, index)[0] ?? 0;
  let [length, sum] = [0, 0];
  for (let step = 2 ** Math.floor(Math.log2(Math.max(1, tree.nodes.length))); step >= 1; step /= 2) {
    const more = tree.nodes[length + step - 1]?.[0];
    if (more === undefined || sum + more > before) continue;
    length += step;
    sum += more;
  }
  return length < tree.nodes.length ? length : undefined;
}

function zeros({ width }: SumTree): number[] {
  return Array.from({ length: width }, () => 0);
}

function add(to: number[] | undefined, vector: readonly number[] | undefined, times: 1 | -1): void {
  if (to === undefined || vector === undefined) return;
  // By index: this is the inner loop of each step, and an iterator of pairs costs more than the sum.
  for (let index = 0; index < vector.length; index += 1) to[index] = (to[index] ?? 0) + times * (vector[index] ?? 0);
}

/** The value of the lowest set bit of a positive number. */
function lowBit(number: number): number {
  return number & -number;
}
