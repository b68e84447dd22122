/**
 * Control characters, terminal escapes, single surrogates and direction marks. They could rewrite what a terminal shows or let
 * a text look like another one.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Changes what the runner of GitHub Actions would take for a command, at the start of a line or anywhere in it. */
export const withoutCommands = (line: string): string => line.replace(/^(\s*):(?=:)/, '$1: ').replaceAll('##[', '## [');

/** Returns a text from elsewhere as one line that is safe in a terminal and in a log. */
export const plainText = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(UNSAFE, '').trim();
