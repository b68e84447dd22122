/**
 * Control characters, terminal escapes, single surrogates and direction marks. They could rewrite what a terminal shows or let
 * a text look like another one.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Returns a text from elsewhere as one line that is safe in a terminal and in a log. */
export const plainText = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(UNSAFE, '').trim();
