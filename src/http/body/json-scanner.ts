/** The place and the reason where a text is not JSON (RFC 8259) or is nested too deeply. */
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

/** Called with the path and the index of each value. The path is reused, so copy it to store it. */
type ValueVisitor = (path: JsonPath, index: number) => void;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The white space of JSON: tab, line feed, carriage return and space. */
const SPACES: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, SPACE]);
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

interface ScanOptions {
  readonly visit?: ValueVisitor;
  /** Also rejects an object that gives one name twice, of which a parser uses the last and another one the first. */
  readonly uniqueNames?: boolean;
}

/**
 * Checks a text against the grammar of JSON in linear time and without recursion. So deep nesting is rejected before a
 * recursive parser reads it, and every fault has an index, which `JSON.parse` does not always report.
 * @throws JsonFault
 */
export function scanJson(text: string, maxDepth: number, options: ScanOptions = {}): void {
  new JsonScanner(text, maxDepth, options).scan();
}

/** Enough to detect a format, and few enough for a hostile text. */
const MAX_KEYS = 1_000;
const MAX_KEYS_DEPTH = 1_000;

/** Returns the first keys of the outermost object, up to an error in the JSON; empty if the text is not an object. */
export function readJsonKeys(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  try {
    const visit: ValueVisitor = (path, index) => {
      const [key] = path;
      if (path.length === 1 && typeof key === 'string') keys.add(key);
      if (keys.size >= MAX_KEYS) throw new JsonFault(index, `more than ${MAX_KEYS} keys`);
    };
    scanJson(text, MAX_KEYS_DEPTH, { visit });
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
  }
  return keys;
}

/** Returns the start of the value at a path. If it is missing, the start of the nearest containing value. */
export function findJsonIndex(text: string, target: JsonPath): number {
  let nearest = { depth: -1, index: 0 };
  /** Whether the present value of each depth is on the path. Compares only the last step, because a step may be a long key. */
  const isOnPath: boolean[] = [];
  const visit: ValueVisitor = (path, index) => {
    const depth = path.length;
    isOnPath[depth] = depth === 0 || (isOnPath[depth - 1] === true && path[depth - 1] === target[depth - 1]);
    if (isOnPath[depth] && depth >= nearest.depth) nearest = { depth, index };
  };
  scanJson(text, Number.POSITIVE_INFINITY, { visit });
  return nearest.index;
}

/** Returns the text of the value with this path. The text must be valid JSON that has it, with unique names. */
export function sliceJsonValue(text: string, path: JsonPath): string {
  const rest = text.slice(findJsonIndex(text, path));
  return rest.slice(0, new JsonScanner(rest, Number.POSITIVE_INFINITY, {}).scanValue());
}

class JsonScanner {
  private at = 0;
  /** One step for each open object (its current key) and array (its current index). */
  private readonly path: (string | number)[] = [];
  /** The names of each open object, by depth. An array has none. */
  private readonly names: Set<string>[] = [];
  /** Set after a colon or an opening bracket. `next` reads the value then, which avoids recursion. */
  private expectsValue = false;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
    private readonly options: ScanOptions,
  ) {}

  scan(): void {
    this.scanValue();
    this.space();
    if (this.at < this.text.length) throw this.fault('nothing may follow the outermost value');
  }

  /** Scans one value, and returns the index after it. */
  scanValue(): number {
    this.value();
    while (this.path.length > 0) this.next();
    return this.at;
  }

  /** Reads a scalar, or the start of an object with its first key or of an array. */
  private value(): void {
    this.space();
    this.options.visit?.(this.path, this.at);
    const char = this.text.charAt(this.at);
    if (char === '{') {
      this.open('');
      if (this.closes('}')) this.path.pop();
      else this.member();
    } else if (char === '[') {
      this.open(0);
      if (this.closes(']')) this.path.pop();
      else this.expectsValue = true;
    } else if (char === '"') this.string();
    else if (!this.skip(LITERAL) && !this.skip(NUMBER)) throw this.fault('a value is expected');
  }

  /** Reads the end of an object or array, or its next value. */
  private next(): void {
    if (this.expectsValue) {
      this.expectsValue = false;
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

  /** Reads a key and its colon. */
  private member(): void {
    this.space();
    if (this.text.charAt(this.at) !== '"') throw this.fault('a key in double quotes is expected');
    const from = this.at;
    this.string();
    const quoted = this.text.slice(from, this.at);
    const name = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
    if (this.options.uniqueNames === true) this.addName(name, from);
    this.path[this.path.length - 1] = name;
    this.space();
    if (this.text.charAt(this.at) !== ':') throw this.fault('":" is expected');
    this.at += 1;
    this.expectsValue = true;
  }

  private addName(name: string, at: number): void {
    const names = this.names[this.path.length - 1];
    if (names?.has(name) === true) throw this.faultAt(at, 'an object gives one name twice');
    names?.add(name);
  }

  private open(step: string | number): void {
    if (this.path.length >= this.maxDepth) throw this.fault(`nested more than ${this.maxDepth} levels deep`);
    this.path.push(step);
    if (typeof step === 'string' && this.options.uniqueNames === true) this.names[this.path.length - 1] = new Set();
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
        if (!ESCAPE.test(text)) throw this.faultAt(at - 1, 'an unknown escape in a string');
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

  /** Moves past a match of a sticky pattern. Returns false if there is none. */
  private skip(pattern: RegExp): boolean {
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
