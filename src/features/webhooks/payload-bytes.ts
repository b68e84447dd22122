/** GitHub's ids of the installation and the repository of a delivery; null if it has none. */
export interface DeliveryIds {
  readonly installationId: number | null;
  readonly repositoryId: number | null;
}

type Owner = 'installation' | 'repository';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPENING = { object: 0x7b, array: 0x5b } as const;
const CLOSING = { object: 0x7d, array: 0x5d } as const;
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** A number in JSON (RFC 8259, § 6). */
const NUMBER = /^-?\d[\d.eE+-]*/;
/** Longer than any id. */
const NUMBER_BYTES = 32;

/**
 * Finds the top-level `installation.id` and `repository.id` in the bytes of a payload; of duplicate members the last one
 * counts, as in JSON. Does not parse the rest. That takes a third of the time of parsing and creates no garbage. Invalid JSON
 * may give ids as well; the job that parses it later finds no changes in it.
 */
export function deliveryIds(payload: Buffer): DeliveryIds {
  const ids: Record<Owner, number | null> = { installation: null, repository: null };
  let depth = 0;
  let owner: Owner | null = null;
  for (let at = 0; at < payload.length; at += 1) {
    const byte = payload[at];
    if (byte === OPENING.object || byte === OPENING.array) depth += 1;
    else if (byte === CLOSING.object || byte === CLOSING.array) depth -= 1;
    else if (byte === QUOTE) {
      const end = findClosingQuote(payload, at);
      if (depth === 1 || (depth === 2 && owner !== null)) {
        const value = findMemberValue(payload, end);
        const name = value === null ? '' : payload.toString('latin1', at + 1, end);
        if (value !== null && depth === 1) {
          owner = isOwner(name) ? name : null;
          if (owner !== null) ids[owner] = null;
          if (payload[value] !== OPENING.object) owner = null;
        } else if (value !== null && owner !== null && name === 'id') ids[owner] = readId(payload, value);
      }
      at = end;
    }
  }
  return { installationId: ids.installation, repositoryId: ids.repository };
}

const isOwner = (name: string): name is Owner => name === 'installation' || name === 'repository';

/** Returns the position of the closing quote of a text. */
function findClosingQuote(payload: Buffer, quote: number): number {
  let at = quote + 1;
  while (at < payload.length && payload[at] !== QUOTE) at += payload[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Returns the position of the value after a member name; null if the text is not a member name. */
function findMemberValue(payload: Buffer, quote: number): number | null {
  const colon = skipSpaces(payload, quote + 1);
  return payload[colon] === COLON ? skipSpaces(payload, colon + 1) : null;
}

function skipSpaces(payload: Buffer, from: number): number {
  let at = from;
  while (SPACES.has(payload[at])) at += 1;
  return at;
}

function readId(payload: Buffer, at: number): number | null {
  const [number = ''] = NUMBER.exec(payload.toString('latin1', at, at + NUMBER_BYTES)) ?? [];
  const id = Number(number);
  return number !== '' && Number.isSafeInteger(id) ? id : null;
}

const PLACEHOLDER = 0x3f;
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
