// Folder in which a coding agent keeps its transcripts.

/** Coding agent whose transcripts can be imported. */
export type AgentProgram = 'claude-code' | 'pi' | 'codex' | 'opencode' | 'gemini-cli' | 'copilot';

/** Folder in which an agent keeps transcripts. It may not exist. */
export interface TranscriptPlace {
  readonly agent: AgentProgram;
  readonly folder: string;
  /** Matches the paths of transcripts relative to the folder, with forward slashes. */
  readonly files: RegExp;
  /** Maximum depth of folders below `folder` that contain transcripts. Default: any depth. */
  readonly depth?: number;
}

/** Surroundings that decide where agents keep their files. */
export interface PlacesInput {
  /** Home folder of the user. */
  readonly userFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
