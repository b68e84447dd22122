import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

/** Hands out rows in portions of any size, and reads no more of what they come from than those need. */
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

const pack = promisify(deflateRaw);
const unpack = promisify(inflateRaw);

/** In UTF-16 units; a block is packed and unpacked outside the event loop. */
const BLOCK = 256 * 1024;
/** Rows resemble each other, so that little effort packs them nearly as well as much. */
const LEVEL = 1;

/** Holds text that has to wait for what is written before it, in about a tenth of its size. */
export class CompressedTextBuffer {
  readonly #blocks: Buffer[] = [];
  #chunks: string[] = [];
  #length = 0;

  async add(text: string): Promise<void> {
    this.#chunks.push(text);
    this.#length += text.length;
    if (this.#length >= BLOCK) await this.#pack();
  }

  /** All that was added, in its order and in pieces of any size; what was read is let go. */
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
