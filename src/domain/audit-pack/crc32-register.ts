import { CRC32_TABLE } from '../checksum/crc32.js';

/** Which entry of the table has this top byte: each has another one. */
const BY_TOP_BYTE = Uint8Array.from({ length: 256 }, (_, top) =>
  CRC32_TABLE.findIndex((entry) => entry >>> 24 === top),
);

/** What the register of CRC-32 holds before the first byte; the checksum is what it holds at last, each bit inverted. */
export const FIRST_REGISTER = 0xffffffff;

/** What the register holds after a byte. */
export const registerAfter = (register: number, byte: number): number =>
  ((register >>> 8) ^ CRC32_TABLE[(register ^ byte) & 0xff]!) >>> 0;

/** What the register held before a byte. */
export function registerBefore(register: number, byte: number): number {
  const index = BY_TOP_BYTE[register >>> 24]!;
  return (((register ^ CRC32_TABLE[index]!) << 8) | (index ^ byte)) >>> 0;
}
