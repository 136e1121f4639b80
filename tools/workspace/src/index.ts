// The face.
export {};
