/**
 * Control characters, terminal escapes, single surrogates and direction marks. They could rewrite what a terminal shows or let
 * a text look like another one.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** The start of a command for the agents of GitHub Actions, Azure Pipelines and TeamCity, anywhere in a line. */
const COMMAND = /##(?=\w*\[)/g;

/** Removes characters that control a terminal, and changes texts that a CI agent would execute as commands. */
const safeLine = (line: string): string =>
  line
    .replaceAll(UNSAFE, '')
    .replace(/^(\s*):(?=:)/, '$1: ')
    .replaceAll(COMMAND, '## ');

/** Joins lines for users, each with its end, without texts that control a terminal or a CI agent. */
export const safeLines = (lines: readonly string[]): string =>
  lines
    .flatMap((line) => line.split(/\r\n|\r|\n/))
    .map((line) => `${safeLine(line)}\n`)
    .join('');

/** Returns a JSON document as one line of the same content, without texts that control a terminal or a CI agent. */
export const safeJson = (document: object): string =>
  JSON.stringify(document)
    .replaceAll(UNSAFE, (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll(COMMAND, String.raw`\u0023\u0023`);

/** Returns an external text as one line that is safe in a terminal and in a log. */
export const plainText = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(UNSAFE, '').trim();
