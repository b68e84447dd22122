import { createHash } from 'node:crypto';
import type { Policy } from '../../domain/policy/policy.js';

/** SHA-256, in lower-case hex, over the policy as JSON with the keys of every object in order of their code units. */
export const policyDigest = (policy: Policy): string =>
  createHash('sha256').update(canonicalJson(policy)).digest('hex');

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
}
