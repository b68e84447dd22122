/** How long a person may take from here to the code host and back: as long as the host's own code lives. */
export const LOGIN_LIFE_MS = 10 * 60_000;
