const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PLACEHOLDER = 0x3f;
const OPENING = { object: 0x7b, array: 0x5b } as const;
const CLOSING = { object: 0x7d, array: 0x5d } as const;
/** The payload and its members. */
const MAX_DEPTH = 2;
/** Longer than any needed name or number. */
const MAX_TEXT_BYTES = 64;
/** Ten times the size of an outline of GitHub's payloads. */
const MAX_OUTLINE_BYTES = 65_536;

/** Collects the two upper levels of a streamed payload that is too large for memory, with long texts cut. */
export class PayloadOutline {
  #buffer = Buffer.alloc(0);
  #length = 0;
  #depth = 0;
  /** The number of bytes read of the present text; -1 outside of texts. */
  #text = -1;
  #escaped = false;

  /** Returns the outline; empty if it exceeds the limit. */
  bytes(): Buffer {
    return this.#length > MAX_OUTLINE_BYTES ? Buffer.alloc(0) : this.#buffer.subarray(0, this.#length);
  }

  /** Passes the chunks on and collects the outline from them. */
  async *collect(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    // Allocated here, because few deliveries need it.
    this.#buffer = Buffer.alloc(MAX_OUTLINE_BYTES);
    for await (const chunk of body) {
      this.#add(chunk);
      yield chunk;
    }
  }

  /** Uses local copies of the fields, because it runs for each byte of up to 20 MB. */
  #add(chunk: Buffer): void {
    const buffer = this.#buffer;
    let [length, depth, text, escaped] = [this.#length, this.#depth, this.#text, this.#escaped];
    for (let at = 0; at < chunk.length; at += 1) {
      let byte = chunk[at] ?? 0;
      let isIncluded = depth <= MAX_DEPTH;
      if (text === -1) {
        if (byte === QUOTE) text = 0;
        else if (byte === OPENING.object || byte === OPENING.array) isIncluded = (depth += 1) <= MAX_DEPTH;
        else if (byte === CLOSING.object || byte === CLOSING.array) depth -= 1;
      } else if (byte === QUOTE && !escaped) text = -1;
      else {
        isIncluded &&= text < MAX_TEXT_BYTES;
        text += 1;
        const wasEscaped = escaped;
        escaped = byte === BACKSLASH && !wasEscaped;
        // An escape sequence must not end up before the quote that closes a cut text.
        if (escaped || wasEscaped) byte = PLACEHOLDER;
      }
      if (isIncluded) buffer[length++] = byte;
    }
    [this.#length, this.#depth, this.#text, this.#escaped] = [length, depth, text, escaped];
  }
}
