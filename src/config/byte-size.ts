const UNIT_BYTES = { '': 1, KB: 1_024, MB: 1_048_576, GB: 1_073_741_824 } as const;

/** Bytes of a size such as `1048576`, `256KB` or `25 MB`; a kilobyte has 1,024 bytes. */
export function readByteSize(text: string): number {
  const [, count, unit] = /^(\d{1,12}) ?(KB|MB|GB|)$/i.exec(text) ?? [];
  const bytes = Number(count) * UNIT_BYTES[unit?.toUpperCase() as keyof typeof UNIT_BYTES];
  if (!(bytes >= 1 && bytes <= UNIT_BYTES.GB)) throw new Error('must be a size from 1 byte to 1GB, such as 25MB');
  return bytes;
}

/** The most bytes that a workspace may store, such as `50GB`; null for `off`. */
export function readQuota(text: string): number | null {
  if (text.toLowerCase() === 'off') return null;
  const [, count, unit] = /^(\d{1,15}) ?(KB|MB|GB|)$/i.exec(text) ?? [];
  const bytes = Number(count) * UNIT_BYTES[unit?.toUpperCase() as keyof typeof UNIT_BYTES];
  if (!(bytes >= 1 && bytes <= Number.MAX_SAFE_INTEGER)) throw new Error('must be a size such as 50GB, or off');
  return bytes;
}
