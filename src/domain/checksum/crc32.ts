const POLYNOMIAL = 0xedb88320;

/** The CRC-32 table of ISO 3309, as used by zip, gzip and PNG. */
export const CRC32_TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1;
  return remainder;
});

/** Returns the CRC-32 of the UTF-16 code units of a text. For an ASCII text these are its bytes. */
export function crc32(ascii: string): number {
  let remainder = 0xffffffff;
  for (let at = 0; at < ascii.length; at += 1) {
    remainder = (remainder >>> 8) ^ CRC32_TABLE[(remainder ^ ascii.charCodeAt(at)) & 0xff]!;
  }
  return (remainder ^ 0xffffffff) >>> 0;
}
