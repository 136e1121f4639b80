// List of vectors with running sums (a Fenwick tree). Appending, changing one item and summing the first items each
// take logarithmic time. No operation sums over the whole session.

/** Growing list of vectors that all have `width` numbers. The list is mutable, and only `prunable.ts` changes it. */
export interface SumTree {
  readonly width: number;
  /**
   * Sums of ranges of items. The range of node `i` ends at index `i`, and its length is the lowest set bit of `i + 1`.
   */
  readonly nodes: number[][];
}

/** Returns an empty list of vectors of this width. */
export function sumTree(width: number): SumTree {
  return { width, nodes: [] };
}

export function appendZero(tree: SumTree): void {
  const end = tree.nodes.length + 1;
  const node = zeros(tree);
  for (let step = 1; step < lowBit(end); step *= 2) add(node, tree.nodes[end - step - 1], 1);
  tree.nodes.push(node);
}

/** Adds a vector to the item at this index (`times` is 1), or subtracts it (`times` is -1). */
export function addAt(tree: SumTree, index: number, vector: readonly number[], times: 1 | -1): void {
  for (let end = index + 1; end <= tree.nodes.length; end += lowBit(end)) add(tree.nodes[end - 1], vector, times);
}

export function sumOfFirst(tree: SumTree, length: number): readonly number[] {
  const sum = zeros(tree);
  for (let end = Math.min(length, tree.nodes.length); end > 0; end -= lowBit(end)) add(sum, tree.nodes[end - 1], 1);
  return sum;
}

/**
 * Returns the index of the first item at or after `index` whose first number is positive, or `undefined`. The first
 * numbers must not be negative.
 */
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
  // This is the innermost loop. It is written with an index, because an iterator would cost more time than the
  // addition.
  for (let index = 0; index < vector.length; index += 1) to[index] = (to[index] ?? 0) + times * (vector[index] ?? 0);
}

function lowBit(number: number): number {
  return number & -number;
}
