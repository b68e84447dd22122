import { randomInt } from 'node:crypto';

const SLASH = 0x2f;
const FACTOR = 0x01000193;

/**
 * Finds the test that contains a subtest: the one with the longest name that ends at a slash of the subtest's name, because a name may
 * contain slashes. The names up to all slashes are hashed in one pass, so the search visits each character once, however many slashes
 * there are.
 */
export class GoTestParents<Test extends { readonly name: string }> {
  private readonly byHash = new Map<number, Test>();
  /** Random, so that a report cannot choose names with equal hashes. */
  private readonly seeds = [randomInt(2 ** 32), randomInt(2 ** 32)] as const;

  /** Adds a test that may contain later subtests. */
  add(test: Test): void {
    let last = 0;
    this.hash(test.name, (hash) => (last = hash));
    this.byHash.set(last, test);
  }

  find(name: string): Test | null {
    let parent: Test | null = null;
    this.hash(name, (hash, end) => {
      const found = end < name.length ? this.byHash.get(hash) : undefined;
      if (found?.name.length === end) parent = found;
    });
    // Equal hashes of different names are nearly impossible. Such a name is not the beginning of this one.
    return parent !== null && name.startsWith((parent as Test).name) ? parent : null;
  }

  /** Calls `visit` with a hash of the name up to each slash, and of the whole name. */
  private hash(name: string, visit: (hash: number, end: number) => void): void {
    let [low, high]: [number, number] = [...this.seeds];
    for (let at = 0; at < name.length; at += 1) {
      const code = name.charCodeAt(at);
      if (code === SLASH && at > 0) visit(toKey(low, high), at);
      low = Math.imul(low ^ code, FACTOR);
      high = Math.imul(high ^ code, FACTOR) ^ (low >>> 15);
    }
    visit(toKey(low, high), name.length);
  }
}

/** Combines two hashes to a safe integer. */
const toKey = (low: number, high: number): number => (low >>> 0) * 2 ** 20 + (high >>> 12);
