const MAX_LINES = 4;
const MAX_LENGTH = 200;

/** Returns the first lines of a message that are not empty, each cut to a length that fits beside others. */
export const firstLines = (message: string): string =>
  message
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_LINES)
    .map((line) => (line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line))
    .join('\n');
