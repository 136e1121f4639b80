// Name of the variable with the token of the server. It is in a file of its own, because the help of the command needs
// it, and the server is loaded only when it runs.

/** Variable with a token that replaces the one in the home. */
export const TOKEN_VARIABLE = 'TIDEMARK_SERVER_TOKEN';
