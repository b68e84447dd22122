/** Where and why a text is no JSON (RFC 8259), or is nested too deeply. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';

  constructor(
    readonly index: number,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** The keys and indexes that lead to a value. */
export type JsonPath = readonly (string | number)[];

/** Called with the path and the index of each value; the path is reused, so copy what is to be kept. */
type ValueVisitor = (path: JsonPath, index: number) => void;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The white space of JSON: tab, line feed, carriage return and space. */
const SPACES: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, SPACE]);
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

/**
 * Checks a text against the grammar of JSON in linear time and without recursion, so that depth can be refused
 * before a recursive parser meets it, and a fault has its index, which `JSON.parse` does not always tell.
 * @throws JsonFault
 */
export function scanJson(text: string, maxDepth: number, visit?: ValueVisitor): void {
  new JsonScanner(text, maxDepth, visit).scan();
}

/** Enough to tell a format by, and few enough that a hostile text costs nothing. */
const KEYS = 1_000;
const KEYS_DEPTH = 1_000;

/** The first keys of the outermost object, up to where the text stops being JSON; empty where it is no object. */
export function jsonKeysOf(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  try {
    scanJson(text, KEYS_DEPTH, (path, index) => {
      const [key] = path;
      if (path.length === 1 && typeof key === 'string') keys.add(key);
      if (keys.size >= KEYS) throw new JsonFault(index, `more than ${KEYS} keys`);
    });
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
  }
  return keys;
}

/** Where the value at a path begins; where there is none, where the nearest value around it does. */
export function jsonIndexOf(text: string, target: JsonPath): number {
  let nearest = { depth: -1, index: 0 };
  scanJson(text, Number.POSITIVE_INFINITY, (path, index) => {
    const isAround = path.length >= nearest.depth && path.every((step, depth) => step === target[depth]);
    if (isAround) nearest = { depth: path.length, index };
  });
  return nearest.index;
}

class JsonScanner {
  private at = 0;
  /** One step for each open object (its current key) and array (its current index). */
  private readonly path: (string | number)[] = [];
  /** After a colon or an opening bracket: `next` reads the value, so that depth never becomes recursion. */
  private valueIsDue = false;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
    private readonly visit: ValueVisitor | undefined,
  ) {}

  scan(): void {
    this.value();
    while (this.path.length > 0) this.next();
    this.space();
    if (this.at < this.text.length) throw this.fault('nothing may follow the outermost value');
  }

  /** A scalar whole, or the opening of an object (with its first key) or of an array. */
  private value(): void {
    this.space();
    this.visit?.(this.path, this.at);
    const char = this.text.charAt(this.at);
    if (char === '{') {
      this.open('');
      if (this.closes('}')) this.path.pop();
      else this.member();
    } else if (char === '[') {
      this.open(0);
      if (this.closes(']')) this.path.pop();
      else this.valueIsDue = true;
    } else if (char === '"') this.string();
    else if (!this.take(LITERAL) && !this.take(NUMBER)) throw this.fault('a value is expected');
  }

  /** What follows a value within an object or array: its end, or the next value. */
  private next(): void {
    if (this.valueIsDue) {
      this.valueIsDue = false;
      this.value();
      return;
    }
    const step = this.path.at(-1);
    const end = typeof step === 'string' ? '}' : ']';
    if (this.closes(end)) {
      this.path.pop();
      return;
    }
    if (this.text.charAt(this.at) !== ',') throw this.fault(`"," or "${end}" is expected`);
    this.at += 1;
    if (typeof step === 'number') {
      this.path[this.path.length - 1] = step + 1;
      this.value();
    } else this.member();
  }

  /** A key and its colon. */
  private member(): void {
    this.space();
    if (this.text.charAt(this.at) !== '"') throw this.fault('a key in double quotes is expected');
    const from = this.at;
    this.string();
    const quoted = this.text.slice(from, this.at);
    this.path[this.path.length - 1] = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
    this.space();
    if (this.text.charAt(this.at) !== ':') throw this.fault('":" is expected');
    this.at += 1;
    this.valueIsDue = true;
  }

  private open(step: string | number): void {
    if (this.path.length >= this.maxDepth) throw this.fault(`nested more than ${this.maxDepth} levels deep`);
    this.path.push(step);
    this.at += 1;
  }

  private closes(end: string): boolean {
    this.space();
    if (this.text.charAt(this.at) !== end) return false;
    this.at += 1;
    return true;
  }

  private string(): void {
    const { text } = this;
    let at = this.at + 1;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
      at += 1;
      if (code === BACKSLASH) {
        ESCAPE.lastIndex = at;
        if (!ESCAPE.test(text)) throw this.faultAt(at, 'an unknown escape in a string');
        at = ESCAPE.lastIndex;
      } else if (!(code >= SPACE)) {
        const reason = Number.isNaN(code) ? 'a string is not closed' : 'a control character in a string';
        throw this.faultAt(at - 1, reason);
      }
    }
    this.at = at + 1;
  }

  private space(): void {
    const { text } = this;
    let { at } = this;
    for (let code = text.charCodeAt(at); code <= SPACE && SPACES.has(code); code = text.charCodeAt(at)) at += 1;
    this.at = at;
  }

  /** Moves past a match of a sticky pattern; false where there is none. */
  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  private fault(reason: string): JsonFault {
    return this.faultAt(this.at, reason);
  }

  private faultAt(index: number, reason: string): JsonFault {
    return new JsonFault(index, index >= this.text.length ? `${reason}, but the text ends` : reason);
  }
}
