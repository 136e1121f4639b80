// Types of the requests and answers of the server. Made by `npm run client` from its OpenAPI document.

import type { Question, SessionEvent, SessionMessage } from "@tidemark/agent";
import type { Recorded } from "@tidemark/log";
export interface paths {
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Check that the server runs; needs no token */
        readonly get: operations["readHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/link": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Exchange the code of a one-time link for the token; needs no token */
        readonly post: operations["redeemLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List sessions, newest first */
        readonly get: operations["listSessions"];
        readonly put?: never;
        /** Create a session */
        readonly post: operations["createSession"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read the state of a session */
        readonly get: operations["readSession"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Follow the events of a session from a position
         * @description Sends each record from the position on as the event `record`, with its position as the id. After the last record it sends `state` (the text that is arriving, waiting questions), and then each new `record` and each event that is not stored (`passing`). A client that connects again sends `Last-Event-ID`.
         */
        readonly get: operations["followSession"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session}/interrupt": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Interrupt the running turn */
        readonly post: operations["interruptTurn"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session}/messages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read the prompts and answers of a session */
        readonly get: operations["readMessages"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session}/mode": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /** Set the permission mode */
        readonly put: operations["setMode"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session}/prompt": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Start a turn with a prompt */
        readonly post: operations["sendPrompt"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session}/questions/{question}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Answer a question of the runtime */
        readonly post: operations["answerQuestion"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session}/records": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read records of a session from a position */
        readonly get: operations["readRecords"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Continue the turn that was cut off, interrupted, limited or failed */
        readonly post: operations["resumeTurn"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session}/steer": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Add a message to the running turn */
        readonly post: operations["steerTurn"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Accepted: {
            /** @description Position of the record with which the turn began. */
            readonly position: number;
            readonly session: string;
        };
        readonly Done: {
            readonly session: string;
        };
        readonly Failure: {
            readonly error: {
                /** @description Stable code, such as `log/missing`. */
                readonly code: string;
                readonly message: string;
                /** @description Next step of the client. Empty if the message contains it. */
                readonly next: string;
            };
            /** @enum {boolean} */
            readonly ok: false;
        };
        readonly Grant: {
            readonly commands?: readonly (readonly string[])[];
            readonly folders?: readonly string[];
            readonly hosts?: readonly string[];
            readonly paths?: readonly string[];
            readonly patterns?: readonly string[];
            readonly tool: string;
        };
        readonly LiveState: {
            /** @description Number of records that the reader has. */
            readonly length: number;
            /** @description True if this server has the session open. */
            readonly open: boolean;
            /** @description End of the output of each running call. */
            readonly outputs: readonly {
                readonly call: string;
                readonly text: string;
            }[];
            readonly questions: readonly components["schemas"]["WaitingQuestion"][];
            readonly reasoning: string;
            /** @description Text of the answer that is arriving. */
            readonly text: string;
        };
        readonly LogRecord: Recorded;
        readonly Message: {
            readonly attachments?: readonly {
                readonly name: string;
                readonly text: string;
            }[];
            readonly images?: readonly {
                /** @description Bytes of a PNG, JPEG, WebP or GIF. */
                readonly data: string;
            }[];
            readonly text: string;
        };
        /** @enum {string} */
        readonly Mode: "read-only" | "ask" | "auto";
        readonly NewSession: {
            readonly agent?: string;
            readonly effort?: string;
            /** @description Absolute path of a folder that the server serves. */
            readonly folder?: string;
            readonly mode?: components["schemas"]["Mode"];
            readonly model?: string;
            readonly title?: string;
        };
        /** @description An event that is not stored, such as `text.delta`, or a `QuestionEvent`. A reader that misses it loses no stored data. Later versions add types. */
        readonly PassingEvent: Exclude<SessionEvent, { readonly type: 'recorded' | 'tool.threw' }> | components['schemas']['QuestionEvent'];
        readonly Prompt: {
            readonly attachments?: readonly {
                readonly name: string;
                readonly text: string;
            }[];
            /** @description Number of records that the client knows. If the session has more, the prompt is refused with 409, so a request that is repeated after a lost answer never sends a prompt twice. */
            readonly expected?: number;
            readonly images?: readonly {
                /** @description Bytes of a PNG, JPEG, WebP or GIF. */
                readonly data: string;
            }[];
            readonly skills?: readonly string[];
            readonly text: string;
        };
        /** @description A question of the runtime. `preview` contains all that a call would do. */
        readonly Question: Question;
        readonly QuestionAnswer: {
            /** @enum {string} */
            readonly decision: "denied";
            readonly reason?: string;
        } | {
            readonly always?: components["schemas"]["Grant"];
            /** @enum {string} */
            readonly decision: "allowed";
            /** @enum {string} */
            readonly keep?: "session" | "project";
        } | {
            /** @enum {string} */
            readonly decision: "always";
        };
        readonly QuestionEvent: {
            /** @enum {string} */
            readonly type: "question.asked";
            readonly waiting: components["schemas"]["WaitingQuestion"];
        } | {
            readonly answered: boolean;
            readonly id: string;
            /** @enum {string} */
            readonly type: "question.closed";
        };
        readonly Session: {
            /** @description Own agent of the session. */
            readonly agent?: string;
            readonly bytes?: number;
            readonly changedAt?: string;
            /** @description Known cost in US dollars, without the ancestors of the session. */
            readonly cost: string;
            readonly createdAt: string;
            /** @description Number of records. Pass it as `from` to get later events. */
            readonly length: number;
            readonly mode?: components["schemas"]["Mode"];
            readonly model?: string;
            /** @description True if this server has the session open. */
            readonly open: boolean;
            readonly parent?: {
                readonly chain: string;
                readonly position: number;
                readonly session: string;
            };
            readonly provider?: string;
            readonly questions: readonly components["schemas"]["WaitingQuestion"][];
            /** @description True if `resume` can continue the last turn. */
            readonly resumable: boolean;
            readonly root: string;
            /** @description True if this server runs a turn of the session. */
            readonly running: boolean;
            readonly session: string;
            readonly startedBy?: {
                readonly agent?: string;
                readonly call: string;
                readonly depth: number;
                readonly model?: string;
                readonly session: string;
            };
            readonly title?: string;
            readonly turn?: {
                readonly id?: string;
                /** @description True if the log has no end of the turn: it runs, or it was cut off. */
                readonly open: boolean;
                /** @enum {string} */
                readonly outcome?: "completed" | "interrupted" | "limited" | "failed";
            };
            /** @description Absolute path of the folder of the session. */
            readonly workspace: string;
        };
        readonly SessionEntry: {
            readonly bytes?: number;
            readonly changedAt?: string;
            readonly createdAt: string;
            /** @description True if this server has the session open. */
            readonly open: boolean;
            readonly parent?: {
                readonly chain: string;
                readonly position: number;
                readonly session: string;
            };
            /** @description Number of questions that wait for an answer. */
            readonly questions: number;
            readonly root: string;
            /** @description True if this server runs a turn of the session. */
            readonly running: boolean;
            readonly session: string;
            readonly startedBy?: {
                readonly agent?: string;
                readonly call: string;
                readonly depth: number;
                readonly model?: string;
                readonly session: string;
            };
            readonly title?: string;
            /** @description Absolute path of the folder of the session. */
            readonly workspace: string;
        };
        readonly SessionMessage: SessionMessage;
        readonly WaitingQuestion: {
            readonly id: string;
            readonly question: components["schemas"]["Question"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly readHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The server runs. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @enum {boolean} */
                        readonly ok: true;
                        readonly version: string;
                    };
                };
            };
        };
    };
    readonly redeemLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly code: string;
                };
            };
        };
        readonly responses: {
            /** @description The token. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly token: string;
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly listSessions: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
                readonly offset?: number;
                /** @description Part of the title, in any case. */
                readonly title?: string;
                /** @description Absolute path of the folder of the sessions. */
                readonly workspace?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of sessions. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly sessions: readonly components["schemas"]["SessionEntry"][];
                        /** @description Number of sessions that match. */
                        readonly total: number;
                        readonly unreadable: readonly {
                            readonly reason: string;
                            readonly session: string;
                        }[];
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly createSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NewSession"];
            };
        };
        readonly responses: {
            /** @description The new session. */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly readSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly followSession: {
        readonly parameters: {
            readonly query?: {
                readonly from?: number;
            };
            readonly header?: {
                readonly "last-event-id"?: number;
            };
            readonly path: {
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The events. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly interruptTurn: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description No turn of this server runs in the session. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly readMessages: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The messages. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly messages: readonly components["schemas"]["SessionMessage"][];
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly setMode: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly mode: components["schemas"]["Mode"];
                };
            };
        };
        readonly responses: {
            /** @description The mode is set. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly sendPrompt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Prompt"];
            };
        };
        readonly responses: {
            /** @description The prompt is recorded, and the turn runs. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly answerQuestion: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly question: string;
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["QuestionAnswer"];
            };
        };
        readonly responses: {
            /** @description The answer counts. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly readRecords: {
        readonly parameters: {
            readonly query?: {
                readonly from?: number;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of records. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Position after the last record. */
                        readonly next: number;
                        readonly records: readonly components["schemas"]["LogRecord"][];
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly resumeTurn: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The turn runs. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly steerTurn: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly session: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["Message"];
            };
        };
        readonly responses: {
            /** @description The message is recorded. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            readonly default: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
}
