import crypto from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { syncBuiltinESMExports } from 'node:module';

type Method = (this: unknown, ...args: unknown[]) => unknown;
/** Returns the number of characters. `from` is where a sticky pattern began. */
type Cost = (receiver: unknown, args: readonly unknown[], result: unknown, from: number) => number;

const length = (value: unknown): number => (typeof value === 'string' ? value.length : 0);
const ofReceiver: Cost = (receiver) => length(receiver);
const ofResult: Cost = (_receiver, _args, result) => length(result);
const ofFirst: Cost = (_receiver, [first]) => length(first);

/** The characters between the start of a search and its result, or the end of the text. */
const searched: Cost = (receiver, [, from = 0], result) =>
  result === -1 ? Math.max(0, length(receiver) - Number(from)) : Number(result) - Number(from) + 1;

/** A sticky pattern looks at what it matches. Any other may look at the whole text. */
const matched: Cost = (receiver, [text], _result, from) => {
  const { sticky, lastIndex } = receiver as RegExp;
  return sticky ? Math.max(1, lastIndex - from) : length(text);
};

/** The functions that take time for each character, with the number of characters. */
const COUNTED: readonly (readonly [owner: object, names: readonly string[], cost: Cost])[] = [
  [String.prototype, ['slice', 'substring', 'toLowerCase', 'padEnd'], ofResult],
  [String.prototype, ['replace', 'replaceAll', 'split', 'trim', 'trimEnd', 'trimStart'], ofReceiver],
  [String.prototype, ['indexOf'], searched],
  [String.prototype, ['includes'], ofReceiver],
  [String.prototype, ['startsWith', 'endsWith'], ofFirst],
  [Array.prototype, ['join'], ofResult],
  [RegExp.prototype, ['test', 'exec'], matched],
  [Map.prototype, ['get', 'has', 'set'], ofFirst],
  [Set.prototype, ['has', 'add'], ofFirst],
  [JSON, ['parse'], ofFirst],
  [JSON, ['stringify'], ofResult],
  [crypto.Hash.prototype, ['update'], ofFirst],
  [crypto, ['hash'], (_receiver, [, text]) => length(text)],
];

/**
 * Counts what a function does, by operations and not by time, so that two counts can be compared: the blocks of code that run in the
 * modules below `folder`, and the characters that they search, copy, compare or hash. Import the modules after `start`, because only
 * then their blocks are counted.
 */
export class CountedWork {
  private readonly session = new Session();
  private characters = 0;
  private restore: (() => void)[] = [];

  constructor(private readonly folder: string) {}

  async start(): Promise<void> {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  async stop(): Promise<void> {
    await this.session.post('Profiler.stopPreciseCoverage');
    this.session.disconnect();
  }

  async count(work: () => void): Promise<number> {
    await this.session.post('Profiler.takePreciseCoverage');
    this.characters = 0;
    this.replaceFunctions();
    try {
      work();
    } finally {
      for (const undo of this.restore.splice(0)) undo();
      syncBuiltinESMExports();
    }
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    const blocks = result
      .filter(({ url }) => url.includes(this.folder))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0);
    return blocks + this.characters;
  }

  private replaceFunctions(): void {
    for (const [owner, names, cost] of COUNTED) {
      for (const name of names) {
        const methods = owner as Record<string, Method>;
        const original = methods[name];
        if (original === undefined) throw new Error(`${name} does not exist.`);
        const count = (characters: number): void => {
          this.characters += characters;
        };
        methods[name] = function counted(this: unknown, ...args): unknown {
          const from = this instanceof RegExp ? this.lastIndex : 0;
          const result = original.apply(this, args);
          count(cost(this, args, result, from));
          return result;
        };
        this.restore.push(() => (methods[name] = original));
      }
    }
    syncBuiltinESMExports();
  }
}
