/** An answer that may be asked for again under its condition. */
export interface CachedResponse {
  readonly etag: string;
  readonly text: string;
  readonly link: string | null;
}

const MAX_CHARACTERS = 32 * 1024 * 1024;

/** The answers last used, up to a total size, the longest unused dropped first. */
export class ResponseCache {
  private readonly answers = new Map<string, CachedResponse>();
  private characters = 0;

  constructor(private readonly maxCharacters = MAX_CHARACTERS) {}

  find(key: string): CachedResponse | null {
    const answer = this.answers.get(key);
    if (answer === undefined) return null;
    // A Map iterates in the order of insertion: inserted again, the entry is the last to go.
    this.answers.delete(key);
    this.answers.set(key, answer);
    return answer;
  }

  keep(key: string, answer: CachedResponse): void {
    this.drop(key);
    // One answer may not push out most of the others.
    if (answer.text.length > this.maxCharacters / 8) return;
    this.answers.set(key, answer);
    this.characters += weightOf(key, answer);
    for (const oldest of this.answers.keys()) {
      if (this.characters <= this.maxCharacters) break;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    const answer = this.answers.get(key);
    if (answer === undefined) return;
    this.answers.delete(key);
    this.characters -= weightOf(key, answer);
  }
}

const weightOf = (key: string, { text }: CachedResponse): number => key.length + text.length;
