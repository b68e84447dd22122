const LONGEST = 60;
/** What PostgreSQL's JSON refuses or a terminal obeys: controls, halves of surrogate pairs, marks of direction. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028-\u202E\u2066-\u2069]/gu;

/** Foreign text as a message may hold it: on one line, short, and with what cannot be printed replaced by U+FFFD. */
export function excerpt(text: string): string {
  const head = text.slice(0, LONGEST).replace(UNPRINTABLE, '\uFFFD');
  return text.length > LONGEST ? `${head.replace(/\uFFFD$/, '')}…` : head;
}
