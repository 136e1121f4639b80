// Trust in a folder, in one word.

/** State of a folder: its contents are used, they are not used, or it has no contents that need trust. */
export type FolderTrust = 'trusted' | 'untrusted' | 'nothing';
