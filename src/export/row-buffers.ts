import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

/** Reads rows in portions of any size, and no more of the source than they need. */
export class RowReader<Row> {
  #waiting: readonly Row[] = [];
  #isRead = false;

  private constructor(private readonly next: () => Promise<readonly Row[] | null>) {}

  static of<Item, Row>(items: AsyncIterable<Item>, rowsOf: (item: Item) => readonly Row[]): RowReader<Row> {
    const iterator = items[Symbol.asyncIterator]();
    return new RowReader(async () => {
      const next = await iterator.next();
      return next.done === true ? null : rowsOf(next.value);
    });
  }

  /** Returns at most `count` of the next rows, and none at the end. */
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

const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);

/** The size of a block in UTF-16 units. Blocks are compressed and decompressed outside of the event loop. */
const BLOCK = 256 * 1024;
/** A low level suffices, because rows are similar. */
const LEVEL = 1;

/** Buffers text that is written later. The buffer is compressed to about a tenth of the text's size. */
export class CompressedTextBuffer {
  readonly #blocks: Buffer[] = [];
  #chunks: string[] = [];
  #length = 0;

  async add(text: string): Promise<void> {
    this.#chunks.push(text);
    this.#length += text.length;
    if (this.#length >= BLOCK) await this.#pack();
  }

  /** Reads the text in order and in chunks of any size. Releases the memory of each chunk. */
  async *drain(): AsyncGenerator<string> {
    await this.#pack();
    for (let block = this.#blocks.shift(); block; block = this.#blocks.shift()) {
      yield (await unpack(block)).toString('utf8');
    }
  }

  async #pack(): Promise<void> {
    const text = this.#chunks.join('');
    this.#chunks = [];
    this.#length = 0;
    if (text !== '') this.#blocks.push(await pack(text, { level: LEVEL }));
  }
}
