import { counted } from './counted.js';

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;
const STEP = 1_024;
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Formats a number of bytes, for example "1.5 MiB". Limits are counted in units of 1,024. */
export function formatBytes(bytes: number): string {
  if (bytes < STEP) return counted(bytes, 'byte', 'bytes');
  const power = Math.min(Math.floor(Math.log2(bytes) / Math.log2(STEP)), UNITS.length);
  return `${NUMBER.format(bytes / STEP ** power)} ${UNITS[power - 1] ?? ''}`;
}
