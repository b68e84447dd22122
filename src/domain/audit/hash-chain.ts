import { canonicalJson, type JsonObject, type JsonValue, parseLosslessJson } from './canonical-json.js';

/** The previous hash of the first entry of a workspace. */
const FIRST_PREVIOUS_HASH = '0'.repeat(64);

/** The end of a chain: the number of its entries and the hash that covers all of them. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

export const EMPTY_CHAIN: ChainHead = { sequence: 0, hash: FIRST_PREVIOUS_HASH };

/** The content of an entry that its hash covers. */
export interface HashedEntry {
  readonly previousHash: string;
  readonly orgId: string;
  readonly sequence: number;
  readonly id: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly at: string;
  readonly actor: JsonValue;
  readonly action: string;
  readonly subject: string;
  readonly data: JsonValue;
}

/** An entry as the database returns it. JSON values are text here, so that no digit is lost. */
export interface StoredEntry extends Omit<HashedEntry, 'orgId' | 'actor' | 'data'> {
  readonly actor: string;
  readonly data: string;
  readonly hash: string;
}

/** The first invalid entry of a chain, with its problem. */
export interface ChainError {
  readonly sequence: number;
  readonly detail: string;
}

/** Returns the SHA-256 of a text in UTF-8 as lower-case hexadecimal digits. */
export type Digest = (text: string) => string;

/** Returns the hash of an entry: the digest of its content in canonical JSON. */
export const hashEntry = (content: HashedEntry, digest: Digest): string =>
  digest(canonicalJson(content as unknown as JsonObject));

/** Verifies the entries of one workspace in order and stops at the first invalid one. */
export class ChainVerifier {
  #head = EMPTY_CHAIN;
  #fault: ChainError | null = null;
  /** `savedHeads` are earlier heads that were saved outside the service. The chain must contain them. */
  constructor(
    private readonly orgId: string,
    private readonly digest: Digest,
    private readonly savedHeads: readonly ChainHead[] = [],
  ) {}

  /** The last valid entry. */
  get head(): ChainHead {
    return this.#head;
  }

  /** Verifies the next entry. Returns false from the first invalid entry on. */
  add(entry: StoredEntry): boolean {
    const detail = this.#fault === null ? this.#findProblem(entry) : null;
    if (detail !== null) this.#fault = { sequence: this.#head.sequence + 1, detail };
    if (this.#fault === null) this.#head = { sequence: entry.sequence, hash: entry.hash };
    return this.#fault === null;
  }

  /**
   * Returns the problem of the chain, given the number of stored entries up to its head. Null if the chain is intact.
   */
  finish(entriesUpToHead: number): ChainError | null {
    if (this.#fault !== null) return this.#fault;
    const { sequence } = this.#head;
    if (entriesUpToHead !== sequence) {
      return { sequence: 1, detail: `${entriesUpToHead} entries are stored up to number ${sequence}` };
    }
    const isCutOff = this.savedHeads.some((head) => head.sequence > sequence);
    return isCutOff ? { sequence: sequence + 1, detail: 'it is missing: a saved head is later' } : null;
  }

  #findProblem({ actor, data, hash, ...rest }: StoredEntry): string | null {
    const due = this.#head.sequence + 1;
    if (rest.sequence !== due) return `it is missing: the next is ${rest.sequence}`;
    if (rest.previousHash !== this.#head.hash) return 'it does not follow from the entry before it';
    const [actorRead, dataRead] = [parseLosslessJson(actor), parseLosslessJson(data)];
    if (actorRead === undefined || dataRead === undefined) return 'it contains a number that the service never writes';
    const content = { ...rest, orgId: this.orgId, actor: actorRead, data: dataRead };
    if (hashEntry(content, this.digest) !== hash) return 'its content and its hash disagree';
    const matchesSavedHead = this.savedHeads.every((head) => head.sequence !== due || head.hash === hash);
    return matchesSavedHead ? null : 'its hash differs from the saved head';
  }
}
