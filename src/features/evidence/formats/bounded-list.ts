/** Stores the first entries and counts the rest, so that a hostile report cannot fill the storage. */
export class BoundedList<T> {
  private readonly items: T[] = [];
  private dropped = 0;

  constructor(private readonly capacity: number) {}

  add(entry: T): void {
    this.addFrom(() => entry);
  }

  /** Calls `create` only if the entry is stored, so that a dropped entry costs nothing. */
  addFrom(create: () => T): void {
    if (this.items.length < this.capacity) this.items.push(create());
    else this.dropped += 1;
  }

  get entries(): readonly T[] {
    return this.items;
  }

  /** Returns the entries, plus one with the number of dropped entries if there are any. */
  withRest(rest: (dropped: number) => T): readonly T[] {
    return this.dropped === 0 ? this.items : [...this.items, rest(this.dropped)];
  }
}

/** Creates the list for the failures or the notes of a report. */
export function createMessageList(): BoundedList<string> {
  return new BoundedList(20);
}

export const formatOverflow = (dropped: number): string => `and ${dropped} more`;

/** Control characters except tab and line ends. */
const UNPRINTABLE = /[^\P{Cc}\t\n\r]/gu;

/**
 * Returns an excerpt that can be stored and displayed: control characters and lone surrogates, which the database rejects, become
 * U+FFFD, and a text of more than `length` UTF-16 code units ends in an ellipsis.
 */
export function excerpt(text: string, length: number): string {
  const shortened = text.length > length ? `${text.slice(0, length - 1)}…` : text;
  return Buffer.from(shortened.replace(UNPRINTABLE, '\uFFFD'), 'utf8').toString('utf8').trim();
}
