// Types of the requests and answers of the server. Made by `npm run client` from its OpenAPI document.

import type { Question, SessionEvent, SessionMessage } from "@tidemark/agent";
import type { Recorded } from "@tidemark/log";
export interface paths {
    "/analytics/breaks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the breaks: their sums, and a page of them, latest first */
        get: operations["readBreaks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/cache_effectiveness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the use of the cache: hit rate, write share, coverage, wasted writes, tokens paid again */
        get: operations["readCacheEffectiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/cost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the cost: paid, uncached and ideal */
        get: operations["readCost"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sessions with their cost, hit rate and breaks, latest change first */
        get: operations["readSessionFigures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the use of each skill */
        get: operations["readSkills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the server runs; needs no token */
        get: operations["readHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchange the code of a one-time link for the token; needs no token */
        post: operations["redeemLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create the code of a one-time link, which can be used once within ten minutes */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the metrics in the format of Prometheus */
        get: operations["readMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search titles, prompts, answers, and paths of files, latest session first
         * @description A record matches if it contains all words, in any case and without accents. Words in quotes must be next to each other. Each other word also finds longer words that begin with it. The first search reads the texts of all logs. While this takes long, the search is refused with `server/reading`.
         */
        get: operations["searchSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sessions, newest first */
        get: operations["listSessions"];
        put?: never;
        /** Create a session */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the state of a session */
        get: operations["readSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Give the session the role and the tools of an own agent from the next request on */
        put: operations["setAgent"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/artifacts/{digest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the bytes of an artifact that a record of the session names */
        get: operations["readArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the calls of a session with their tokens and costs */
        get: operations["readCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/calls/{call}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the whole output of a call, whatever part the model was shown */
        get: operations["readOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the checkpoints of a session: what each replaced, and its text */
        get: operations["readCheckpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace older history with a checkpoint, or report what this would save and cost */
        post: operations["compactSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/drafts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a prompt when the running turn has completed
         * @description The prompt waits in the memory of the server, and is lost when the server ends. After a turn that was interrupted or failed, it waits for the end of the next complete turn.
         */
        post: operations["queueDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/drafts/{draft}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a prompt that waits for the end of the turn */
        delete: operations["removeDraft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/effort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the reasoning effort from the next request on */
        put: operations["setEffort"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the events of a session from a position
         * @description Sends each record from the position on as the event `record`, with its position as the id. After the last record it sends `state` (the text that is arriving, waiting questions), and then each new `record` and each event that is not stored (`passing`). An error after the beginning is the last event, `failed`. A client that connects again sends `Last-Event-ID`.
         */
        get: operations["followSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/forecast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Forecast the next call with an almost empty prompt
         * @description Nothing is sent or recorded.
         */
        get: operations["forecastCall"];
        put?: never;
        /**
         * Forecast the call that a prompt would make, also with another model or effort
         * @description Nothing is sent or recorded.
         */
        post: operations["forecastPrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a session that begins with the records of this one
         * @description The fork reads the cache of this session. This session and the files do not change.
         */
        post: operations["forkSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Interrupt the running turn */
        post: operations["interruptTurn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the prompts and answers of a session */
        get: operations["readMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/mode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the permission mode */
        put: operations["setMode"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/model": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Continue with another model, in a fork or in the session itself */
        put: operations["setModel"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the background processes of a session that this server has open */
        get: operations["listProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/processes/{process}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the output of a background process from an offset */
        get: operations["readProcessOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/processes/{process}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a background process and everything that it started */
        post: operations["stopProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/prompt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a turn with a prompt */
        post: operations["sendPrompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the prompts with the numbers that `fork` and `rewind` use */
        get: operations["listPrompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/questions/{question}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer a question of the runtime */
        post: operations["answerQuestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read records of a session from a position */
        get: operations["readRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the requests of a session in the order of its log */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/requests/{position}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the structure of a request: its blocks without their texts */
        get: operations["readRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/requests/{position}/blocks/{block}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the text of one block of a request, or a part of it */
        get: operations["readBlock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/requests/{position}/costs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what each block of a request has cost in all requests that contained it */
        get: operations["readCarryCosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/requests/{position}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search the texts of a request */
        get: operations["searchRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Continue the turn that was cut off, interrupted, limited or failed */
        post: operations["resumeTurn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/rewind": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Plan a rewind: the records that it omits, and the files that it can restore */
        get: operations["planRewind"];
        put?: never;
        /**
         * Fork a session from before a prompt, and restore files
         * @description Restores only the named files, and never over a change that something else made since. This session does not change.
         */
        post: operations["rewindSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/rewind/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the difference that restoring one file would make */
        get: operations["diffRewind"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/steer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add a message to the running turn */
        post: operations["steerTurn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read all calls of a session as columns of numbers */
        get: operations["readTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rebuild every request of a session and compare its bytes with what was sent */
        get: operations["verifySession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/what-if": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the cost of the calls of a session with other lifetimes and models, and without prunings and compactions */
        get: operations["readWhatIf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{session}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explain each cache break and miss of a session, or one step */
        get: operations["explainSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Accepted: {
            /** @description Position of the record with which the turn began. */
            position: number;
            session: string;
        };
        Amount: {
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            cost: string | null;
            /** @description Number of calls whose part is unknown and in no sum. */
            unpriced: number;
        };
        BackgroundProcess: {
            /** @description Bytes that the process has written so far. */
            bytes: number;
            command: string;
            endedAt?: string;
            exit?: number;
            id: string;
            running: boolean;
            signal?: string;
            startedAt: string;
        };
        /** @description Blocks of a request as columns of one length. Values of `section`, `role`, `holds`, `layer` and `kind` are indexes of `names`. `null` means that a value does not apply. */
        BlockColumns: {
            /** @description Milliseconds from this record to the request. */
            age: (number | null)[];
            /** @description First words of its text. */
            begins: string[];
            bytes: number[];
            /** @description Number of its message. -1 for blocks of the front. */
            group: number[];
            holds: number[];
            /** @description Kind of this record. */
            kind: (number | null)[];
            layer: (number | null)[];
            names: string[];
            /** @description Position of the record that the block comes from. */
            record: (number | null)[];
            role: number[];
            /** @description `tools`, `system` or `messages`. */
            section: number[];
            /** @description Estimated tokens. */
            tokens: number[];
        };
        BlockText: {
            from: number;
            text: string;
            /** @description Length of the whole text, in UTF-16 units. */
            total: number;
        };
        Break: {
            answer: number;
            at: string;
            causes: components["schemas"]["Cause"][];
            contract: string | null;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            cost: string | null;
            model: string;
            opened: string | null;
            provider: string;
            request: number | null;
            session: string;
            step: number;
            stream: string;
            tokens: number | null;
        };
        Breaks: {
            breaks: components["schemas"]["Break"][];
            groups?: {
                name: string | null;
                sums: components["schemas"]["BreakSums"];
            }[];
            /** @description Value of `after` for the next page. */
            next: string | null;
            /** @description Sessions that could not be read to their end. */
            problems: {
                reason: string;
                session: string;
            }[];
            /** @description Time at which the logs were read last. */
            updatedAt: string;
            whole: components["schemas"]["BreakSums"];
        };
        BreakSums: {
            breaks: number;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            cost: string | null;
            tokens: number;
            uncounted: number;
            /** @description Number of calls whose part is unknown and in no sum. */
            unpriced: number;
        };
        CacheEffectiveness: {
            groups?: {
                name: string | null;
                sums: components["schemas"]["CacheSums"];
            }[];
            /** @description Sessions that could not be read to their end. */
            problems: {
                reason: string;
                session: string;
            }[];
            /** @description Time at which the logs were read last. */
            updatedAt: string;
            whole: components["schemas"]["CacheSums"];
        };
        CacheSums: {
            calls: number;
            /** @description Between 0 and 1. `null` if there is nothing to divide by. */
            coverage: number | null;
            /** @description Between 0 and 1. `null` if there is nothing to divide by. */
            forecastError: number | null;
            /** @description Between 0 and 1. `null` if there is nothing to divide by. */
            hitRate: number | null;
            lost: components["schemas"]["PaidAgain"];
            tokens: components["schemas"]["Tokens"];
            uncounted: number;
            waiting: number;
            wasted: number;
            /** @description Between 0 and 1. `null` if there is nothing to divide by. */
            writeShare: number | null;
        };
        Call: {
            again: number;
            answer: number;
            at: string;
            cause: string | null;
            contract: string | null;
            duration: number | null;
            forecast: {
                /** @description US dollars as an exact decimal. `null` if no part is known. */
                cost: string | null;
                fresh: number;
                read: number;
                write: number;
            } | null;
            held: number | null;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            ideal: string | null;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            lost: string | null;
            model: string;
            opened: string | null;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            paid: string | null;
            provider: string;
            request: number | null;
            step: number;
            stream: string;
            tokens: components["schemas"]["Tokens"];
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            uncached: string | null;
            verdict: string | null;
            waiting: number;
            wasted: number;
            writtenForHour: number;
        };
        CallPage: {
            calls: components["schemas"]["Call"][];
            next: number | null;
            /** @description Sessions that could not be read to their end. */
            problems: {
                reason: string;
                session: string;
            }[];
            /** @description Time at which the logs were read last. */
            updatedAt: string;
        };
        CarryCosts: {
            /** @description Known cost of each block in all requests that contained it. `null` if it is unknown. */
            costs: (string | null)[];
            /** @description Number of answered requests that contained the block. */
            requests: number[];
            /** @description Number of these requests whose cost is unknown. */
            unpriced: number[];
        };
        Cause: string;
        ChangedFile: {
            /** @description True if restoring deletes the file, because a tool created it. */
            deletes: boolean;
            path: string;
            /** @description Reason if the file cannot be restored. */
            reason: string;
            /** @enum {string} */
            state: "restorable" | "changed" | "not-kept" | "refused";
        };
        CheckedSession: {
            breaks: {
                [key: string]: unknown;
            }[];
            differences: {
                [key: string]: unknown;
            }[];
            /** @description True if every request was rebuilt with the same bytes. */
            ok: boolean;
            requests: number;
        } & {
            [key: string]: unknown;
        };
        Compact: {
            /**
             * @description Writer of the checkpoint.
             * @enum {string}
             */
            by?: "auto" | "deterministic" | "model";
            /** @description Maximum tokens of the checkpoint. */
            checkpointTokens?: number;
            /** @description True to return only the plan. */
            dryRun?: boolean;
            /** @description True to begin a fork that contains only the checkpoint. */
            fresh?: boolean;
            /** @description Maximum tokens of history after the checkpoint. */
            tailTokens?: number;
        };
        CompactionReport: {
            /** @description Reason why the model did not contribute. */
            fallback?: string;
            /** @description Session that a fresh start created. */
            fork?: string;
            /** @description Number of messages that are kept after the checkpoint. */
            kept?: number;
            /** @description Forecast of the next request with and without it. */
            next?: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            outcome: "compacted" | "planned" | "refused";
            /** @description Record of the compaction. */
            position?: number;
            /** @description Reason of a refusal. */
            refused?: string;
            /** @description Cached tokens that are paid again. */
            rewrite?: {
                [key: string]: unknown;
            };
            /** @description Estimates in tokens of the model. */
            sizes: {
                [key: string]: unknown;
            };
            strategy: string;
            trigger: string;
        } & {
            [key: string]: unknown;
        };
        ComparedSums: {
            calls: number;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            ideal: string | null;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            paid: string | null;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            uncached: string | null;
            unpriced: number;
        };
        Cost: {
            groups?: {
                name: string | null;
                sums: components["schemas"]["CostSums"];
            }[];
            /** @description Sessions that could not be read to their end. */
            problems: {
                reason: string;
                session: string;
            }[];
            /** @description Time at which the logs were read last. */
            updatedAt: string;
            whole: components["schemas"]["CostSums"];
        };
        CostSums: {
            bounded: {
                calls: number;
                cost: string;
            };
            calls: number;
            charged: {
                /** @description US dollars as an exact decimal. `null` if no part is known. */
                cost: string | null;
                requests: number;
                /** @description Number of calls whose part is unknown and in no sum. */
                unpriced: number;
            };
            compared: components["schemas"]["ComparedSums"];
            dearer: {
                calls: number;
                /** @description US dollars as an exact decimal. `null` if no part is known. */
                cost: string | null;
                /** @description Number of calls whose part is unknown and in no sum. */
                unpriced: number;
            };
            estimated: {
                calls: number;
                cost: string;
                tokens: number;
            };
            lost: components["schemas"]["PaidAgain"];
            paid: components["schemas"]["Amount"];
            tokens: components["schemas"]["Tokens"];
            unanswered: number;
        };
        Done: {
            session: string;
        };
        Explained: {
            explained: components["schemas"]["ExplainedStep"][];
            requests: number;
            unrecorded: number;
            untold: {
                answered: number;
                unanswered: number;
            };
        };
        ExplainedStep: {
            /** Format: date-time */
            at: string;
            /** @description First difference from the previous request: in a block, or in the parameters of a section. */
            divergence?: {
                at: number | "parameters";
                /** @description First different byte of the block. */
                byte?: number;
                /** @enum {string} */
                section?: "tools" | "system" | "messages";
            } & {
                [key: string]: unknown;
            };
            purpose: string;
            step: number;
            stream: string;
        } & {
            [key: string]: unknown;
        };
        Failure: {
            error: {
                /** @description Stable code, such as `log/missing`. */
                code: string;
                message: string;
                /** @description Next step of the client. Empty if the message contains it. */
                next: string;
            };
            /** @constant */
            ok: false;
        };
        FoundBlocks: {
            blocks: {
                block: number;
                count: number;
                excerpt: string;
            }[];
            /** @description True if more blocks contain the text. */
            more: boolean;
        };
        FoundText: {
            /** @enum {string} */
            kind: "title" | "prompt" | "answer" | "files";
            /** @description Text around the first match in one line. The second part and each second one after it are matches. */
            parts: string[];
            /** @description Position of the record that contains the text. */
            position: number;
            /** @description Position of the request of this call, or of its answer in an import. */
            request: number | null;
            /** @description Step of the first call that contained the text or answered with it. */
            step: number | null;
        };
        FoundTexts: {
            /** @description True if more sessions have a match. */
            more: boolean;
            /** @description Sessions that could not be read to their end. */
            problems: {
                reason: string;
                session: string;
            }[];
            sessions: components["schemas"]["SessionWithTexts"][];
            /** @description Time at which the logs were read last. */
            updatedAt: string;
        };
        GivenDraft: {
            attachments?: {
                name: string;
                text: string;
            }[];
            images?: {
                /**
                 * Format: base64
                 * @description Bytes of a PNG, JPEG, WebP or GIF.
                 */
                data: string;
            }[];
            skills?: string[];
            text: string;
        };
        GivenForecast: {
            attachments?: {
                name: string;
                text: string;
            }[];
            effort?: string;
            images?: {
                /**
                 * Format: base64
                 * @description Bytes of a PNG, JPEG, WebP or GIF.
                 */
                data: string;
            }[];
            model?: string;
            provider?: string;
            text: string;
        };
        GivenFork: {
            /** @description Last record that the fork keeps. */
            at?: number;
            /** @description Number of a prompt. -1 is the last prompt. */
            beforePrompt?: number;
            model?: string;
            provider?: string;
            /** @description True to add a short summary of the records that the fork omits. */
            summarize?: boolean;
            title?: string;
        };
        GivenModel: {
            /** @description True to switch this session, which loses its cache. Default: a fork continues with the model, and this session keeps its model and its cache. */
            inPlace?: boolean;
            /** @description Name in the catalog, or a family such as `opus`. */
            model: string;
            provider?: string;
        };
        Grant: {
            commands?: string[][];
            folders?: string[];
            hosts?: string[];
            paths?: string[];
            patterns?: string[];
            tool: string;
        };
        /** @description Tokens of a call by bucket. An absent value is unknown. */
        KnownBuckets: {
            fresh?: number;
            output?: number;
            read?: number;
            written?: number;
        };
        ListedSession: {
            breaks: number;
            calls: number;
            changedAt: string;
            createdAt: string;
            /** @description Between 0 and 1. `null` if there is nothing to divide by. */
            hitRate: number | null;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            lost: string | null;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            paid: string | null;
            /** @description Session that this one was forked from. */
            parent: string | null;
            /** @description Reason why the session could not be read to its end. */
            problem: string | null;
            /** @description Number of questions that wait for an answer. */
            questions: number;
            /** @description Number of records, ancestors included. */
            records: number;
            root: string;
            running: boolean;
            session: string;
            /** @description Session that started this one as its subagent. */
            startedBy: string | null;
            title: string | null;
            /** @description Number of calls whose cost is unknown and not in `paid`. */
            unpriced: number;
            workspace: string;
        };
        LiveState: {
            /** @description Prompts that wait for the end of the turn. */
            drafts?: components["schemas"]["QueuedPrompt"][];
            /** @description Error that ended the last turn, if the log has no end of the turn. */
            failure?: {
                code: string;
                message: string;
                next: string;
            };
            /** @description Number of records that the reader has. */
            length: number;
            /** @description True if this server has the session open. */
            open: boolean;
            /** @description End of the output of each running call. */
            outputs: {
                call: string;
                text: string;
            }[];
            questions: components["schemas"]["WaitingQuestion"][];
            reasoning: string;
            /** @description Text of the answer that is arriving. */
            text: string;
        };
        LogRecord: Recorded;
        Message: {
            attachments?: {
                name: string;
                text: string;
            }[];
            images?: {
                /**
                 * Format: base64
                 * @description Bytes of a PNG, JPEG, WebP or GIF.
                 */
                data: string;
            }[];
            text: string;
        };
        /** @enum {string} */
        Mode: "read-only" | "ask" | "accept-edits" | "auto";
        ModelSet: {
            model: string;
            parent?: {
                session: string;
            };
            provider?: string;
            /** @description Session that uses the model: the fork, or the session itself. */
            session: string;
        };
        NewSession: {
            agent?: string;
            effort?: string;
            /** @description Absolute path of a folder that the server serves. */
            folder?: string;
            mode?: components["schemas"]["Mode"];
            model?: string;
            title?: string;
        };
        NextCall: {
            /** @description Reason of a compaction before the call. */
            compacts?: string;
            /** @description Cost of the input in US dollars. Absent if a price is unknown. */
            cost?: string;
            /** @description Price of the same call after that. */
            expired?: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Time at which the cache entry expires.
             */
            expires?: string;
            /** @description Fill level of the window with the call. */
            gauge: {
                [key: string]: unknown;
            };
            /** @description Input of a large prompt. */
            largePrompt?: {
                [key: string]: unknown;
            };
            model: string;
            parameters: {
                [key: string]: unknown;
            };
            provider: string;
            /** @description True if the runtime reports the rewrite before it sends the call. */
            reported: boolean;
            /** @description Tokens that are paid again. */
            rewrite?: {
                [key: string]: unknown;
            };
            /** @description Input by bucket. */
            tokens: {
                [key: string]: unknown;
            };
        };
        NumberedPrompt: {
            /** Format: date-time */
            at: string;
            /** @description First record of its turn. */
            begins: number;
            /** @description Number from 1 on, for `beforePrompt`. */
            number: number;
            position: number;
            words: string;
        };
        /** @description Tokens that were paid again, and their cost above the price of reading them. */
        PaidAgain: {
            calls: number;
            /** @description US dollars as an exact decimal. `null` if no part is known. */
            cost: string | null;
            tokens: number;
            /** @description Number of calls whose part is unknown and in no sum. */
            unpriced: number;
        };
        /** @description An event that is not stored, such as `text.delta`, or a `QuestionEvent`. A reader that misses it loses no stored data. Later versions add types. */
        PassingEvent: Exclude<SessionEvent, { readonly type: 'recorded' | 'tool.threw' }> | components['schemas']['QuestionEvent'];
        PreviousRequest: {
            /** @description Absent if the request only adds blocks. */
            difference?: components["schemas"]["RequestDifference"];
            position: number;
            /** @description Number of equal blocks at the beginning. */
            shared: number;
            step: number;
        };
        ProcessOutput: {
            /** @description Bytes that were not kept. */
            dropped: number;
            /** @description Offset for the next request, in bytes. */
            next: number;
            process: components["schemas"]["BackgroundProcess"];
            /** @description Output with masked secrets. */
            text: string;
        };
        Prompt: {
            attachments?: {
                name: string;
                text: string;
            }[];
            /** @description Number of records that the client knows. If the session has more, the prompt is refused with 409, so a request that is repeated after a lost answer never sends a prompt twice. */
            expected?: number;
            images?: {
                /**
                 * Format: base64
                 * @description Bytes of a PNG, JPEG, WebP or GIF.
                 */
                data: string;
            }[];
            skills?: string[];
            text: string;
        };
        /** @description A question of the runtime. `preview` contains all that a call would do. */
        Question: Question;
        QuestionAnswer: {
            /** @constant */
            decision: "denied";
            reason?: string;
        } | {
            always?: components["schemas"]["Grant"];
            /** @constant */
            decision: "allowed";
            /** @enum {string} */
            keep?: "session" | "project";
        } | {
            /** @constant */
            decision: "always";
        };
        QuestionEvent: {
            /** @constant */
            type: "question.asked";
            waiting: components["schemas"]["WaitingQuestion"];
        } | {
            answered: boolean;
            id: string;
            /** @constant */
            type: "question.closed";
        };
        QueuedPrompt: {
            id: string;
            text: string;
        };
        /** @description Requests of a session as columns of one length. */
        RequestColumns: {
            /** @description Distance to the position of the request before. The first one is its position. */
            distance: number[];
            step: number[];
            /** @description Index of `streams`. */
            stream: number[];
            streams: string[];
        };
        RequestDifference: {
            /** @enum {string} */
            at: "parameters" | "block";
            block?: number;
            /** @description First different character of the block as it is sent, in UTF-16 units. */
            character?: number;
            replaces: boolean;
            section?: string;
        };
        RequestStructure: {
            actual?: components["schemas"]["KnownBuckets"];
            at: string;
            blocks: components["schemas"]["BlockColumns"];
            bytes?: number;
            cause?: string;
            cost?: string;
            digest?: string;
            forecast?: components["schemas"]["KnownBuckets"];
            /** @description Index of the first block in `blocks`. */
            from: number;
            /** @description Cache markers. */
            markers: {
                block: number;
                ttl: string;
            }[];
            /** @description Parts whose content the recording does not contain. */
            missing: string[];
            model: string;
            position: number;
            previous?: components["schemas"]["PreviousRequest"];
            price?: string;
            purpose: string;
            session: string;
            /**
             * @description `sent`: this runtime sent it. `observed`: another program sent and recorded it. `imported`: the recording contains no request, so it is shown as it would have been sent.
             * @enum {string}
             */
            source: "sent" | "observed" | "imported";
            step: number;
            stream: string;
            /** @description Number of blocks of the request. */
            total: number;
            /** @description True if the rebuilt blocks have the recorded digest. */
            verified?: boolean;
        };
        Rewind: {
            /** @description Number of the prompt. -1 is the last prompt. */
            beforePrompt: number;
            /** @description Paths of the plan to restore. Default: none. */
            files?: string[];
            summarize?: boolean;
        };
        RewindPlan: {
            /** @description Calls that may have changed more files, which cannot be restored. */
            calls: {
                session: string;
                title: string;
                tool: string;
            }[];
            files: components["schemas"]["ChangedFile"][];
            left?: {
                from: number;
                to: number;
            };
            parent: {
                position: number;
                session: string;
            };
        };
        Rewound: {
            files: {
                path: string;
                reason: string;
                restored: boolean;
            }[];
            parent: {
                position: number;
                session: string;
            };
            /** @description The fork. */
            session: string;
        };
        Session: {
            /** @description Own agent of the session. */
            agent?: string;
            bytes?: number;
            changedAt?: string;
            /** @description Known cost in US dollars. For a fork, with the records that it begins with. */
            cost: string;
            createdAt: string;
            /** @description Prompts that wait for the end of the turn. */
            drafts?: components["schemas"]["QueuedPrompt"][];
            /** @description True if another process, or the session that started this one as its subagent, has it open. */
            elsewhere: boolean;
            /** @description Error that ended the last turn, if the log has no end of the turn. */
            failure?: {
                code: string;
                message: string;
                next: string;
            };
            /** @description Number of records. Pass it as `from` to get later events. */
            length: number;
            mode?: components["schemas"]["Mode"];
            model?: string;
            /** @description True if this server has the session open. */
            open: boolean;
            parent?: {
                chain: string;
                position: number;
                session: string;
            };
            provider?: string;
            questions: components["schemas"]["WaitingQuestion"][];
            /** @description True if `resume` can continue the last turn here. */
            resumable: boolean;
            root: string;
            /** @description True if this server runs a turn of the session. */
            running: boolean;
            session: string;
            startedBy?: {
                agent?: string;
                call: string;
                depth: number;
                model?: string;
                session: string;
            };
            title?: string;
            turn?: {
                id?: string;
                /** @description True if the log has no end of the turn: it runs, or it was cut off. */
                open: boolean;
                /** @enum {string} */
                outcome?: "completed" | "interrupted" | "limited" | "failed";
            };
            /** @description Absolute path of the folder of the session. */
            workspace: string;
        };
        SessionEntry: {
            bytes?: number;
            changedAt?: string;
            createdAt: string;
            /** @description True if this server has the session open. */
            open: boolean;
            parent?: {
                chain: string;
                position: number;
                session: string;
            };
            /** @description Number of questions that wait for an answer. */
            questions: number;
            root: string;
            /** @description True if this server runs a turn of the session. */
            running: boolean;
            session: string;
            startedBy?: {
                agent?: string;
                call: string;
                depth: number;
                model?: string;
                session: string;
            };
            title?: string;
            /** @description Absolute path of the folder of the session. */
            workspace: string;
        };
        SessionFiguresPage: {
            /** @description Value of `after` for the next page. */
            next: string | null;
            /** @description Sessions that could not be read to their end. */
            problems: {
                reason: string;
                session: string;
            }[];
            sessions: components["schemas"]["ListedSession"][];
            /** @description Time at which the logs were read last. */
            updatedAt: string;
        };
        SessionMessage: SessionMessage;
        SessionWithTexts: {
            changedAt: string;
            /** @description Number of records that match. */
            records: number;
            session: string;
            /** @description The last of them: three of each session, or 200 of the session of the search. */
            texts: components["schemas"]["FoundText"][];
            title: string | null;
            workspace: string;
        };
        ShownCheckpoint: {
            after?: number;
            at: string;
            /** @description Tokens of the context before the compaction. */
            before?: number;
            /** @description First replaced record. */
            from: number;
            /** @description Messages inside the range that stay unchanged after the checkpoint. */
            keeps: number[];
            limitations: string[];
            position: number;
            replaced: {
                answers: number;
                prompts: number;
                results: number;
            };
            /** @description Position of the first request after the compaction. */
            request?: number;
            /** @enum {string} */
            strategy: "deterministic" | "model-assisted" | "recorded";
            /** @description Text that the model reads in place of the range. */
            text: string;
            /** @description Last replaced record. */
            to: number;
            trigger: string;
        };
        Skills: {
            /** @description Sessions that could not be read to their end. */
            problems: {
                reason: string;
                session: string;
            }[];
            skills: components["schemas"]["SkillUse"][];
            /** @description Time at which the logs were read last. */
            updatedAt: string;
        };
        SkillUse: {
            loads: number;
            name: string;
            preloaded: {
                asked: number;
                sessions: number;
            };
            reasons: {
                always: number;
                auto_suggested: number;
                on_demand: number;
            };
            sessions: number;
            sources: string[];
            tokens: number;
            versions: string[];
        };
        Timeline: {
            /** @description Time of the first call. Empty without calls. */
            begins: string;
            /** @description Causes, joined by ` + ` if a call has several. */
            causes: string[];
            columns: components["schemas"]["TimelineColumns"];
            models: string[];
            /** @description Sessions that could not be read to their end. */
            problems: {
                reason: string;
                session: string;
            }[];
            session: string;
            streams: string[];
            /** @description Time at which the logs were read last. */
            updatedAt: string;
        };
        /** @description Columns of the calls, in the order of the log. All have the same length. */
        TimelineColumns: {
            /** @description Tokens that were paid again. */
            again: number[];
            /** @description Positions of the records that ended the calls, or of the request of a call without a recorded end. */
            answer: number[];
            /** @description Milliseconds from `begins` to the request. */
            at: number[];
            /** @description Causes for which the calls paid tokens again. */
            cause: (number | null)[];
            /** @description Milliseconds from the request to its answer. */
            duration: (number | null)[];
            /** @description Billionths of a US dollar, for the input. */
            forecastCost: (number | null)[];
            fresh: number[];
            freshOff: (number | null)[];
            /** @description Billionths of a US dollar: the additional cost of `again`. */
            lost: (number | null)[];
            model: number[];
            /** @description Causes of the epochs that the calls opened. */
            opened: (number | null)[];
            output: number[];
            /** @description Billionths of a US dollar. */
            paid: (number | null)[];
            read: number[];
            /** @description Forecast tokens minus actual tokens. */
            readOff: (number | null)[];
            /** @description Positions of the requests, as distances to `answer`. */
            requestBefore: (number | null)[];
            step: number[];
            stream: number[];
            /** @description Input tokens of which the provider did not report the part. */
            untold: number[];
            written: number[];
            writtenOff: (number | null)[];
        };
        /** @description Tokens in disjoint buckets. */
        Tokens: {
            answer: number;
            fresh: number;
            read: number;
            reasoning: number;
            untold: number;
            written: number;
        };
        WaitingPrompt: {
            draft: components["schemas"]["QueuedPrompt"];
            session: string;
        };
        WaitingQuestion: {
            id: string;
            question: components["schemas"]["Question"];
        };
        /** @description Costs of the calls of a session in other cases. Amounts are US dollars. */
        WhatIf: {
            /** @description Number of calls that are replayed. */
            calls: number;
            cases: components["schemas"]["WhatIfCase"][];
            compactions: number;
            /** @description Number of calls of side streams. They are in no sum. */
            others: number;
            paid: string;
            prunings: number;
            /** @description Cost of the replay with the lifetimes, prunings and compactions of the session. */
            replayed: string;
            /** @description Number of calls of the main stream with unknown tokens or prices. They are in no sum. */
            unknown: number;
        };
        WhatIfCase: {
            /** @description Number of calls in `cost`. */
            calls: number;
            /** @enum {string} */
            change: "lifetime" | "pruning" | "compaction" | "model";
            /** @description Cost of the same calls: as paid for another model, otherwise as replayed. */
            compared: string;
            cost: string;
            /** @description The lifetime, or the name of the model. Empty for other changes. */
            name: string;
            /** @description Step of the first request that would pass the input limit, or that has no price. */
            stopsAt?: number;
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
    readBreaks: {
        parameters: {
            query?: {
                after?: string;
                by?: "session" | "day" | "model" | "provider" | "contract" | "cause" | "workspace";
                limit?: number;
                model?: string;
                provider?: string;
                session?: string;
                /** @description Earliest time, instead of a window: a day in UTC, or a time of RFC 3339 such as `2026-11-20T09:30:00Z`. */
                since?: string;
                /** @description Time after the last call: a day or a time. */
                until?: string;
                /** @description Time until now: `24h`, `7d` or `all`. Default: `30d`. Days begin at midnight in UTC. */
                window?: string;
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums and a page of breaks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Breaks"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readCacheEffectiveness: {
        parameters: {
            query?: {
                by?: "session" | "day" | "model" | "provider" | "contract" | "cause" | "workspace";
                model?: string;
                provider?: string;
                session?: string;
                /** @description Earliest time, instead of a window: a day in UTC, or a time of RFC 3339 such as `2026-11-20T09:30:00Z`. */
                since?: string;
                /** @description Time after the last call: a day or a time. */
                until?: string;
                /** @description Time until now: `24h`, `7d` or `all`. Default: `30d`. Days begin at midnight in UTC. */
                window?: string;
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheEffectiveness"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readCost: {
        parameters: {
            query?: {
                by?: "session" | "day" | "model" | "provider" | "contract" | "cause" | "workspace";
                model?: string;
                provider?: string;
                session?: string;
                /** @description Earliest time, instead of a window: a day in UTC, or a time of RFC 3339 such as `2026-11-20T09:30:00Z`. */
                since?: string;
                /** @description Time after the last call: a day or a time. */
                until?: string;
                /** @description Time until now: `24h`, `7d` or `all`. Default: `30d`. Days begin at midnight in UTC. */
                window?: string;
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cost"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readSessionFigures: {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                model?: string;
                session?: string;
                /** @description Part of the title, in any case. */
                title?: string;
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionFiguresPage"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readSkills: {
        parameters: {
            query?: {
                model?: string;
                provider?: string;
                session?: string;
                /** @description Earliest time, instead of a window: a day in UTC, or a time of RFC 3339 such as `2026-11-20T09:30:00Z`. */
                since?: string;
                /** @description Time after the last call: a day or a time. */
                until?: string;
                /** @description Time until now: `24h`, `7d` or `all`. Default: `30d`. Days begin at midnight in UTC. */
                window?: string;
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The skills. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Skills"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        version: string;
                    };
                };
            };
        };
    };
    redeemLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link is the address of the server with `/#code=<code>`. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        code: string;
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    searchSessions: {
        parameters: {
            query: {
                /** @description Number of sessions. */
                limit?: number;
                /** @description Session to search. Default: all sessions. */
                session?: string;
                text: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions with a match. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundTexts"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                /** @description Part of the title, in any case. */
                title?: string;
                /** @description Absolute path of the folder of the sessions. */
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["SessionEntry"][];
                        /** @description Number of sessions that match. */
                        total: number;
                        unreadable: {
                            reason: string;
                            session: string;
                        }[];
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSession"];
            };
        };
        responses: {
            /** @description The new session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    setAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    agent: string;
                };
            };
        };
        responses: {
            /** @description The agent is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                digest: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "text/plain; charset=utf-8": string;
                };
            };
            /** @description The range of the header `Range`. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The range begins after the end. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readCalls: {
        parameters: {
            query?: {
                from?: number;
                limit?: number;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of calls. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallPage"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readOutput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                call: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All bytes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                    "text/plain; charset=utf-8": string;
                };
            };
            /** @description The range of the header `Range`. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The range begins after the end. */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readCheckpoints: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The checkpoints, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        checkpoints: components["schemas"]["ShownCheckpoint"][];
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    compactSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Compact"];
            };
        };
        responses: {
            /** @description The report. `outcome` is `refused` if a compaction saves nothing. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompactionReport"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    queueDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenDraft"];
            };
        };
        responses: {
            /** @description The prompt waits. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitingPrompt"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    removeDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                draft: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The prompt is not sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    setEffort: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    effort: string;
                };
            };
        };
        responses: {
            /** @description The effort is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    followSession: {
        parameters: {
            query?: {
                from?: number;
            };
            header?: {
                "last-event-id"?: number;
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    forecastCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The forecast. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NextCall"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    forecastPrompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenForecast"];
            };
        };
        responses: {
            /** @description The forecast. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NextCall"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    forkSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenFork"];
            };
        };
        responses: {
            /** @description The fork. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    interruptTurn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No turn of this server runs in the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readMessages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The messages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        messages: components["schemas"]["SessionMessage"][];
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    setMode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    mode: components["schemas"]["Mode"];
                };
            };
        };
        responses: {
            /** @description The mode is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    setModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenModel"];
            };
        };
        responses: {
            /** @description The next request uses the model. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelSet"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listProcesses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The processes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        processes: components["schemas"]["BackgroundProcess"][];
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readProcessOutput: {
        parameters: {
            query?: {
                from?: number;
            };
            header?: never;
            path: {
                process: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A part of the output. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessOutput"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    stopProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                process: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process, which has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackgroundProcess"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    sendPrompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Prompt"];
            };
        };
        responses: {
            /** @description The prompt is recorded, and the turn runs. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listPrompts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The prompts, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prompts: components["schemas"]["NumberedPrompt"][];
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    answerQuestion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                question: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuestionAnswer"];
            };
        };
        responses: {
            /** @description The answer counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readRecords: {
        parameters: {
            query?: {
                from?: number;
                limit?: number;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Position after the last record. */
                        next: number;
                        records: components["schemas"]["LogRecord"][];
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listRequests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestColumns"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readRequest: {
        parameters: {
            query?: {
                /** @description Position of a request that the client has. Equal leading blocks are left out. */
                known?: number;
            };
            header?: never;
            path: {
                position: number;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The structure. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestStructure"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readBlock: {
        parameters: {
            query?: {
                /** @description `sent`: JSON as it is sent, without markers. */
                form?: "text" | "sent";
                from?: number;
                /** @description End of the part. An answer contains at most 1,000,000 UTF-16 units. */
                to?: number;
            };
            header?: never;
            path: {
                block: number;
                position: number;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockText"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readCarryCosts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                position: number;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The costs, in the order of the blocks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CarryCosts"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    searchRequest: {
        parameters: {
            query: {
                text: string;
            };
            header?: never;
            path: {
                position: number;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The blocks that contain the text. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundBlocks"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    resumeTurn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The turn runs. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    planRewind: {
        parameters: {
            query: {
                /** @description Number of the prompt. -1 is the last prompt. */
                beforePrompt: number;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan. Nothing was changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RewindPlan"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    rewindSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Rewind"];
            };
        };
        responses: {
            /** @description The fork, and each file with its result. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rewound"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    diffRewind: {
        parameters: {
            query: {
                /** @description Number of the prompt. -1 is the last prompt. */
                beforePrompt: number;
                path: string;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The difference as a unified diff. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        diff: string;
                        path: string;
                    };
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    steerTurn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Message"];
            };
        };
        responses: {
            /** @description The message is recorded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readTimeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The timeline. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timeline"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    verifySession: {
        parameters: {
            query?: {
                full?: "true" | "false";
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckedSession"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    readWhatIf: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The costs. The calls are replayed with one rule for the cache. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WhatIf"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    explainSession: {
        parameters: {
            query?: {
                step?: number;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explanations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explained"];
                };
            };
            /** @description The request was refused. `error.next` is the next step. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
}
