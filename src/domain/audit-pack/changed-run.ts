import { FIRST_REGISTER, registerAfter, registerBefore } from './crc32-register.js';

/** As many bytes as a CRC-32 can make up for. */
const RUN_BYTES = 4;

/** What a content may have been: what stands now up to a place, four bytes, and what stands now from there on. */
export interface FormerRun {
  readonly offset: number;
  /** The four bytes; fewer in a content that is shorter. */
  readonly was: Uint8Array;
}

/**
 * Every content with the CRC-32 `before` that begins as `head` does, ends as `tail` does, and has any four bytes in between:
 * one for each place. Both are as long as it is; they differ where something was added or taken out, so that its end stands
 * elsewhere now. It is found from both ends: the four bytes are those that lead from what the register of the checksum holds
 * behind the beginning to what it must hold before the end. A digest has to tell which of them it was.
 */
export function* formerRuns(head: Uint8Array, tail: Uint8Array, before: number): Generator<FormerRun> {
  const { length } = tail;
  const run = Math.min(RUN_BYTES, length);
  const registers = new Uint32Array(length + 1);
  registers[length] = ~before;
  for (let at = length - 1; at >= run; at -= 1) registers[at] = registerBefore(registers[at + 1]!, tail[at]!);
  for (let offset = 0, register = FIRST_REGISTER; offset + run <= length; offset += 1) {
    let sought = registers[offset + run]!;
    for (let step = 0; step < run; step += 1) sought = registerBefore(sought, 0);
    const bytes = (sought ^ register) >>> 0;
    // Four bytes always lead there; fewer do so only if they are the ones.
    if (run === RUN_BYTES || bytes < 256 ** run) {
      yield { offset, was: Uint8Array.from({ length: run }, (_, at) => (bytes >>> (8 * at)) & 0xff) };
    }
    register = registerAfter(register, head[offset]!);
  }
}
