import { addCounts, type Counts, NO_COUNTS } from './coverage.js';
import { type CoveredBranches, type CoveredLines, KEY_LENGTH } from './coverage-entry.js';

/** How the lines or the branches of a file are counted and united. */
export interface CoverageMeasure<T> {
  count(of: T): Counts;
  /** Returns what `unite` may change. */
  copy(of: T): T;
  /** Returns the first with the hits of both. It may change the first, so that its size does not count again for each other one. */
  unite(one: T, other: T): T;
}

/** The code of the digit 1. */
const HIT = 49;

export const LINES: CoverageMeasure<CoveredLines> = {
  count({ weights, hits }) {
    let covered = 0;
    let total = 0;
    for (let at = 0; at < hits.length; at += 1) {
      const weight = weights?.[at] ?? 1;
      total += weight;
      if (hits.charCodeAt(at) === HIT) covered += weight;
    }
    return { covered, total };
  },

  copy: (lines) => lines,

  unite({ weights, hits }, other) {
    if (hits === other.hits) return other;
    const united = Buffer.from(hits, 'latin1');
    for (let at = 0; at < united.length; at += 1) if (other.hits.charCodeAt(at) === HIT) united[at] = HIT;
    return { weights, hits: united.toString('latin1') };
  },
};

export const BRANCHES: CoverageMeasure<CoveredBranches> = {
  count(branches) {
    let covered = 0;
    let total = 0;
    for (const counts of branches.values()) {
      covered += counts.covered;
      total += counts.total;
    }
    return { covered, total };
  },

  copy: (branches) => new Map(branches),

  /** How many of two counts are the same branches is not known. So the greater one is used, not the sum. */
  unite(branches, other) {
    for (const [name, { covered, total }] of other) {
      const known = branches.get(name) ?? NO_COUNTS;
      branches.set(name, { covered: Math.max(covered, known.covered), total: Math.max(total, known.total) });
    }
    return branches;
  },
};

/** The files of one or more reports. Equal entries of a file are united. */
export class CoveredFiles<T> {
  private readonly files = new Map<string, T>();
  /** The sum of the files whose lines are not known. */
  private others = NO_COUNTS;

  constructor(private readonly measure: CoverageMeasure<T>) {}

  add(key: string, file: T): void {
    const known = this.files.get(key);
    this.files.set(key, known === undefined ? file : this.measure.unite(known, file));
  }

  /** Adds counts that cannot be united with others. */
  addCounts(counts: Counts): void {
    this.others = addCounts(this.others, counts);
  }

  addAll({ files, others }: CoveredFiles<T>): void {
    for (const [key, file] of files) this.add(key, file);
    this.addCounts(others);
  }

  count(): Counts {
    let sum = this.others;
    for (const file of this.files.values()) sum = addCounts(sum, this.measure.count(file));
    return sum;
  }

  entries(): { readonly files: ReadonlyMap<string, T>; readonly others: Counts } {
    return { files: this.files, others: this.others };
  }
}

/** The version of the encoding, as its first byte. */
const VERSION = 1;

/**
 * Encodes the files: the version, the counts of the others, and for each file its key, the number of its lines, their
 * weights and a bit for each hit. The size is at most about that of the report.
 */
export function encodeLines(coverage: CoveredFiles<CoveredLines>): Uint8Array<ArrayBuffer> {
  const { files, others } = coverage.entries();
  const writer = new ByteWriter();
  writer.byte(VERSION);
  writer.number(others.covered);
  writer.number(others.total);
  for (const [key, { weights, hits }] of files) {
    for (let at = 0; at < KEY_LENGTH; at += 1) writer.byte(key.charCodeAt(at));
    writer.number(hits.length * 2 + (weights ? 1 : 0));
    for (const weight of weights ?? []) writer.number(weight);
    for (let at = 0; at < hits.length; at += 8) {
      let bits = 0;
      for (let bit = 0; bit < 8; bit += 1) if (hits.charCodeAt(at + bit) === HIT) bits |= 1 << bit;
      writer.byte(bits);
    }
  }
  return writer.bytes();
}

/** Decodes what `encodeLines` wrote. */
export function decodeLines(bytes: Uint8Array): CoveredFiles<CoveredLines> {
  const coverage = new CoveredFiles(LINES);
  const reader = new ByteReader(bytes);
  if (reader.byte() !== VERSION) throw new Error('The coverage of an upload has an unknown encoding.');
  coverage.addCounts({ covered: reader.number(), total: reader.number() });
  while (!reader.isAtEnd) {
    const key = reader.text(KEY_LENGTH);
    const size = reader.number();
    const length = Math.floor(size / 2);
    const weights = size % 2 === 1 ? Array.from({ length }, () => reader.number()) : null;
    coverage.add(key, { weights, hits: reader.bits(length) });
  }
  return coverage;
}

/** Writes bytes, and numbers in groups of seven bits. */
class ByteWriter {
  private content = new Uint8Array(4_096);
  private length = 0;

  byte(value: number): void {
    if (this.length === this.content.length) {
      const longer = new Uint8Array(this.content.length * 2);
      longer.set(this.content);
      this.content = longer;
    }
    this.content[this.length] = value;
    this.length += 1;
  }

  /** Writes a whole number up to 2^53. */
  number(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.byte((rest % 128) + 128);
    this.byte(rest);
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.content.slice(0, this.length);
  }
}

class ByteReader {
  private at = 0;

  constructor(private readonly content: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.at >= this.content.length;
  }

  byte(): number {
    const value = this.content[this.at];
    if (value === undefined) throw new Error('The coverage of an upload is truncated.');
    this.at += 1;
    return value;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const part = this.byte();
      value += (part % 128) * factor;
      if (part < 128) return value;
    }
  }

  /** Reads a bit for each digit. */
  bits(length: number): string {
    const digits = Buffer.alloc(length, '0');
    for (let at = 0; at < length; at += 8) {
      const bits = this.byte();
      for (let bit = 0; bit < 8 && at + bit < length; bit += 1) if (((bits >> bit) & 1) === 1) digits[at + bit] = HIT;
    }
    return digits.toString('latin1');
  }

  text(length: number): string {
    const end = this.at + length;
    if (end > this.content.length) throw new Error('The coverage of an upload is truncated.');
    const text = Buffer.from(this.content.buffer, this.content.byteOffset + this.at, length).toString('latin1');
    this.at = end;
    return text;
  }
}
