import { MAX_COUNT } from '../../../domain/evidence/evidence.js';
import { valueRefused } from '../evidence.errors.js';
import { isMembers, type Members } from '../parsing/upload-body.js';

/** Returns a name without case and separators: `timed_out`, `timedOut` and `TIMED-OUT` are one. */
export const normalizeName = (name: string): string => name.replaceAll(/[\s_.-]+/g, '').toLowerCase();

export function toMembers(path: string, value: unknown): Members {
  if (!isMembers(value)) throw valueRefused(path, 'an object');
  return value;
}

export function toCount(path: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_COUNT) {
    throw valueRefused(path, 'a whole number from 0 to 1,000,000,000');
  }
  return value;
}

/** Returns null for a missing value and for null. */
export function toPercent(path: string, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !(value >= 0 && value <= 100)) throw valueRefused(path, 'a number from 0 to 100');
  return value;
}
