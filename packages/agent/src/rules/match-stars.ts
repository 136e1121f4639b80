// Text against a pattern in which `*` stands for any run of characters, and `?`, where wanted, for one.

/** Whether all of the text fits. Linear but for the last star: what earlier ones took is never too little. */
export function matchStars(pattern: string, text: string, one?: '?'): boolean {
  let [at, here] = [0, 0];
  let star: { readonly at: number; here: number } | undefined;
  while (here < text.length) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = { at, here };
      at += 1;
    } else if (wanted !== undefined && (wanted === text[here] || wanted === one)) {
      at += 1;
      here += 1;
    } else if (star !== undefined) {
      star.here += 1;
      here = star.here;
      at = star.at + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
