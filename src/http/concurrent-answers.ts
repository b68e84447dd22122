/** Counts the answers that are being sent to each user. Each answer occupies memory for a file until it is sent. */
export class ConcurrentAnswers {
  private readonly counts = new Map<number, number>();

  constructor(private readonly limit: number) {}

  isFull(userId: number): boolean {
    return (this.counts.get(userId) ?? 0) >= this.limit;
  }

  /** Counts one more answer to the user. The returned function ends it. */
  begin(userId: number): () => void {
    this.counts.set(userId, (this.counts.get(userId) ?? 0) + 1);
    return () => {
      const left = (this.counts.get(userId) ?? 1) - 1;
      if (left === 0) this.counts.delete(userId);
      else this.counts.set(userId, left);
    };
  }
}
