/** How many answers each person is being sent; each holds a file in memory for as long as its reader takes. */
export class AnswersUnderWay {
  private readonly counts = new Map<number, number>();

  constructor(private readonly most: number) {}

  isFull(person: number): boolean {
    return (this.counts.get(person) ?? 0) >= this.most;
  }

  /** Counts one more of the person until what is answered is called. */
  begin(person: number): () => void {
    this.counts.set(person, (this.counts.get(person) ?? 0) + 1);
    return () => {
      const left = (this.counts.get(person) ?? 1) - 1;
      if (left === 0) this.counts.delete(person);
      else this.counts.set(person, left);
    };
  }
}
