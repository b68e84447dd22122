import { describe } from '@jest/globals';

/** Returns `describe` for tests that need programs. Without one of them they are skipped, and a notice says which is missing. */
export function describeWith(programs: Readonly<Record<string, unknown>>): typeof describe | typeof describe.skip {
  const missing = Object.entries(programs).flatMap(([program, found]) => (found === null ? [program] : []));
  if (missing.length === 0) return describe;
  process.stderr.write(`Tests are skipped: install ${missing.join(' and ')} from the packages of the distribution.\n`);
  return describe.skip;
}
