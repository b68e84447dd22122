import { canonicalJson, type JsonObject, type JsonValue, parseExactly } from './canonical-json.js';

/** What the first entry of a workspace names as the hash before it. */
export const FIRST_PREVIOUS_HASH = '0'.repeat(64);

/** Where a chain ends: how many entries it has, and the hash that stands for all of them. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

export const EMPTY_CHAIN: ChainHead = { sequence: 0, hash: FIRST_PREVIOUS_HASH };

/** Everything about an entry that its hash vouches for. */
export interface SealedContent {
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
export interface StoredEntry extends Omit<SealedContent, 'orgId' | 'actor' | 'data'> {
  readonly actor: string;
  readonly data: string;
  readonly hash: string;
}

/** The first entry of a chain that is not as it was written, and in what. */
export interface ChainFault {
  readonly sequence: number;
  readonly detail: string;
}

/** SHA-256 of a text's UTF-8, in lower-case hexadecimal digits. */
export type Digest = (text: string) => string;

/** The hash of an entry: the digest of its content in canonical JSON. */
export const sealOf = (content: SealedContent, digest: Digest): string =>
  digest(canonicalJson(content as unknown as JsonObject));

/** Follows one workspace's entries from the first to the last, and stops believing at the first that does not fit. */
export class ChainWalk {
  #head = EMPTY_CHAIN;
  #fault: ChainFault | null = null;

  constructor(
    private readonly orgId: string,
    private readonly digest: Digest,
  ) {}

  /** The last entry that fitted. */
  get head(): ChainHead {
    return this.#head;
  }

  get fault(): ChainFault | null {
    return this.#fault;
  }

  /** Takes the next entry; false once one did not fit. */
  take(entry: StoredEntry): boolean {
    const detail = this.#fault === null ? this.#flawOf(entry) : null;
    if (detail !== null) this.#fault = { sequence: this.#head.sequence + 1, detail };
    if (this.#fault === null) this.#head = { sequence: entry.sequence, hash: entry.hash };
    return this.#fault === null;
  }

  #flawOf({ actor, data, hash, ...rest }: StoredEntry): string | null {
    const due = this.#head.sequence + 1;
    if (rest.sequence !== due) return `it is missing: the next is ${rest.sequence}`;
    if (rest.previousHash !== this.#head.hash) return 'it does not follow from the entry before it';
    const [actorRead, dataRead] = [parseExactly(actor), parseExactly(data)];
    if (actorRead === null || dataRead === null) return 'it holds what no entry is written with';
    const content = { ...rest, orgId: this.orgId, actor: actorRead, data: dataRead };
    return sealOf(content, this.digest) === hash ? null : 'its content and its hash disagree';
  }
}
