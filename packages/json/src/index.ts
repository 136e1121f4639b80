// The face of `json`: what a value is on paper.

export type { CanonicalJson, Json } from './canonical-json.ts';
export { canonicalJson, canonicalText } from './canonical-json.ts';
export { DEEPEST_JSON, JsonDepthError, isTooDeep, parseJson } from './parse-json.ts';
export type { RawMember } from './raw-json.ts';
export { isJsonObject, parseObject, rawMembers, rawElements, rawMember } from './raw-json.ts';
