const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PLACEHOLDER = 0x3f;
const OPENING = { object: 0x7b, array: 0x5b } as const;
const CLOSING = { object: 0x7d, array: 0x5d } as const;
/** The payload itself, and what its members hold. */
const DEEPEST = 2;
/** Longer than any name or number that is looked for. */
const TEXT_BYTES = 64;
/** GitHub's take a tenth of it. */
const OUTLINE_BYTES = 65_536;

/** What is left of a payload that is too large to be held: its two upper levels, without long texts, while it passes by. */
export class PayloadOutline {
  #buffer = Buffer.alloc(0);
  #length = 0;
  #depth = 0;
  /** How many bytes of a text have passed; -1 outside of texts. */
  #text = -1;
  #escaped = false;

  /** Empty where even that is too much. */
  bytes(): Buffer {
    return this.#length > OUTLINE_BYTES ? Buffer.alloc(0) : this.#buffer.subarray(0, this.#length);
  }

  async *of(passing: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    // Hardly any delivery needs it.
    this.#buffer = Buffer.alloc(OUTLINE_BYTES);
    for await (const chunk of passing) {
      this.#add(chunk);
      yield chunk;
    }
  }

  /** Twenty megabytes of it pass by, so what it remembers is kept at hand meanwhile. */
  #add(chunk: Buffer): void {
    const buffer = this.#buffer;
    let [length, depth, text, escaped] = [this.#length, this.#depth, this.#text, this.#escaped];
    for (let at = 0; at < chunk.length; at += 1) {
      let byte = chunk[at] ?? 0;
      let isIncluded = depth <= DEEPEST;
      if (text === -1) {
        if (byte === QUOTE) text = 0;
        else if (byte === OPENING.object || byte === OPENING.array) isIncluded = (depth += 1) <= DEEPEST;
        else if (byte === CLOSING.object || byte === CLOSING.array) depth -= 1;
      } else if (byte === QUOTE && !escaped) text = -1;
      else {
        isIncluded &&= text < TEXT_BYTES;
        text += 1;
        const wasEscaped = escaped;
        escaped = byte === BACKSLASH && !wasEscaped;
        // Of what is escaped nothing may end up before the quote at which a long text is cut.
        if (escaped || wasEscaped) byte = PLACEHOLDER;
      }
      if (isIncluded) buffer[length++] = byte;
    }
    [this.#length, this.#depth, this.#text, this.#escaped] = [length, depth, text, escaped];
  }
}
