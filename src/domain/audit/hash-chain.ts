import { canonicalJson, type JsonObject, type JsonValue, parseLosslessJson } from './canonical-json.js';

/** What the first entry of a workspace names as the hash before it. */
const FIRST_PREVIOUS_HASH = '0'.repeat(64);

/** Where a chain ends: how many entries it has, and the hash that stands for all of them. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

export const EMPTY_CHAIN: ChainHead = { sequence: 0, hash: FIRST_PREVIOUS_HASH };

/** Everything about an entry that its hash vouches for. */
export interface HashedEntry {
  readonly previousHash: string;
  readonly orgId: string;
  readonly sequence: number;
  readonly id: string;
  /** ISO 8601 in UTC, to the millisecond. */
  readonly at: string;
  readonly actor: JsonValue;
  readonly action: string;
  readonly subject: string;
  readonly data: JsonValue;
}

/** An entry as the database writes it out; what is JSON there is text here, so that no digit of it is lost. */
export interface StoredEntry extends Omit<HashedEntry, 'orgId' | 'actor' | 'data'> {
  readonly actor: string;
  readonly data: string;
  readonly hash: string;
}

/** The first entry of a chain that is not as it was written, and in what. */
export interface ChainError {
  readonly sequence: number;
  readonly detail: string;
}

/** SHA-256 of a text's UTF-8, in lower-case hexadecimal digits. */
export type Digest = (text: string) => string;

/** The hash of an entry: the digest of its content in canonical JSON. */
export const hashEntry = (content: HashedEntry, digest: Digest): string =>
  digest(canonicalJson(content as unknown as JsonObject));

/** Follows one workspace's entries from the first to the last, and stops believing at the first that does not fit. */
export class ChainVerifier {
  #head = EMPTY_CHAIN;
  #fault: ChainError | null = null;
  /** `kept` are heads of earlier times that were kept elsewhere, which the chain has to have passed. */
  constructor(
    private readonly orgId: string,
    private readonly digest: Digest,
    private readonly kept: readonly ChainHead[] = [],
  ) {}

  /** The last entry that fitted. */
  get head(): ChainHead {
    return this.#head;
  }

  /** Takes the next entry; false once one did not fit, and nothing that follows can be believed. */
  add(entry: StoredEntry): boolean {
    const detail = this.#fault === null ? this.#flawOf(entry) : null;
    if (detail !== null) this.#fault = { sequence: this.#head.sequence + 1, detail };
    if (this.#fault === null) this.#head = { sequence: entry.sequence, hash: entry.hash };
    return this.#fault === null;
  }

  /** What is wrong with the chain, given how many entries are numbered up to its head; null where it is intact. */
  finish(entriesUpToHead: number): ChainError | null {
    if (this.#fault !== null) return this.#fault;
    const { sequence } = this.#head;
    if (entriesUpToHead !== sequence) {
      return { sequence: 1, detail: `${entriesUpToHead} entries are stored up to number ${sequence}` };
    }
    const isCutOff = this.kept.some((head) => head.sequence > sequence);
    return isCutOff ? { sequence: sequence + 1, detail: 'it is missing: a later head was kept elsewhere' } : null;
  }

  #flawOf({ actor, data, hash, ...rest }: StoredEntry): string | null {
    const due = this.#head.sequence + 1;
    if (rest.sequence !== due) return `it is missing: the next is ${rest.sequence}`;
    if (rest.previousHash !== this.#head.hash) return 'it does not follow from the entry before it';
    const [actorRead, dataRead] = [parseLosslessJson(actor), parseLosslessJson(data)];
    if (actorRead === undefined || dataRead === undefined) return 'it holds a number that no entry is written with';
    const content = { ...rest, orgId: this.orgId, actor: actorRead, data: dataRead };
    if (hashEntry(content, this.digest) !== hash) return 'its content and its hash disagree';
    const isAsKept = this.kept.every((head) => head.sequence !== due || head.hash === hash);
    return isAsKept ? null : 'its hash is another one than was kept elsewhere';
  }
}
