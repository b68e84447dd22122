/** Control characters but tab and line ends. */
const UNPRINTABLE = /[^\P{Cc}\t\n\r]/gu;

/**
 * A piece of somebody's text that can be stored and shown: control characters and lone surrogates, which the database
 * refuses, become U+FFFD, and what is longer than `length` UTF-16 code units ends in an ellipsis.
 */
export function excerpt(text: string, length: number): string {
  const kept = text.length > length ? `${text.slice(0, length - 1)}…` : text;
  return Buffer.from(kept.replace(UNPRINTABLE, '\uFFFD'), 'utf8').toString('utf8').trim();
}
