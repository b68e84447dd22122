/** Hands out rows in portions of any size, and reads no more of what they come from than those need. */
export class RowSource<Row> {
  #waiting: readonly Row[] = [];
  #isRead = false;

  private constructor(private readonly next: () => Promise<readonly Row[] | null>) {}

  static of<Item, Row>(items: AsyncIterable<Item>, rowsOf: (item: Item) => readonly Row[]): RowSource<Row> {
    const iterator = items[Symbol.asyncIterator]();
    return new RowSource(async () => {
      const next = await iterator.next();
      return next.done === true ? null : rowsOf(next.value);
    });
  }

  /** The next rows, `count` at most; none is the end. */
  async take(count: number): Promise<readonly Row[]> {
    const rows = [...this.#waiting];
    while (rows.length < count && !this.#isRead) {
      const next = await this.next();
      if (next === null) this.#isRead = true;
      else rows.push(...next);
    }
    this.#waiting = rows.slice(count);
    return rows.slice(0, count);
  }

  /** Whether there is another row. */
  async hasMore(): Promise<boolean> {
    const [next] = await this.take(1);
    if (next === undefined) return false;
    this.#waiting = [next, ...this.#waiting];
    return true;
  }
}
