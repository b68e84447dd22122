import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip, type ZlibOptions } from 'node:zlib';
import type { TestOutcome } from '../../domain/evidence/test-outcome.js';
import { type PackedRoll, type RollPart, TESTS_OF_A_PART } from '../../domain/quality/packed-roll.js';
import { TEST_MARK } from '../../domain/quality/test-marks.js';

const compress = promisify<string, ZlibOptions, Buffer>(gzip);

const MARK_BYTES = BigUint64Array.BYTES_PER_ELEMENT;

/** A roll that is as long as one may be has perhaps lost its end; the characters are those of all names together. */
const LONGEST = { tests: 250_000, characters: 31_999_000 };

/** Parts whose names are being compressed at a time: as many as Node has threads for it, and memory for few of them. */
const AHEAD = 4;

/** The tests of a report as they are kept; each name is there once. Names are compressed while others are marked. */
export async function packTests(tests: readonly TestOutcome[]): Promise<PackedRoll> {
  const parts: Promise<RollPart>[] = [];
  for (let from = 0; from < tests.length; from += TESTS_OF_A_PART) {
    await parts.at(-AHEAD);
    parts.push(packPart(tests.slice(from, from + TESTS_OF_A_PART)));
  }
  const characters = tests.reduce((sum, { name }) => sum + name.length, 0);
  const complete = tests.length < LONGEST.tests && characters < LONGEST.characters;
  return { complete, parts: await Promise.all(parts) };
}

async function packPart(tests: readonly TestOutcome[]): Promise<RollPart> {
  const names = compress(JSON.stringify(tests.map(({ name }) => name)), { level: constants.Z_BEST_SPEED });
  return { tests: tests.length, marks: marksOf(tests), names: await names };
}

/** Numbers of 64 bits would be made and thrown away for each test, and so would the digits of a digest. */
function marksOf(tests: readonly TestOutcome[]): Uint8Array {
  const marks = Buffer.alloc(tests.length * MARK_BYTES);
  tests.forEach(({ name, outcome }, nth) => {
    const at = nth * MARK_BYTES;
    marks.write(hash('sha256', name, 'binary'), at, MARK_BYTES, 'binary');
    marks.writeUInt8(((marks[at] ?? 0) & ~3) | TEST_MARK[outcome], at);
  });
  return marks;
}
