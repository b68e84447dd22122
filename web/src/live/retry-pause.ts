const FIRST_MS = 5_000;
const LONGEST_MS = 300_000;

/** Returns the pause before a retry in milliseconds: 5 s, doubled with each failure up to 5 min, with up to a fifth more at random. */
export const retryPause = (failures: number, random = Math.random()): number =>
  Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS) * (1 + random / 5);
