import { sha256 } from '../../../crypto/sha256.js';
import { canonicalJson, type JsonObject } from '../../../domain/audit/canonical-json.js';
import type { Policy } from '../../../domain/policy/policy.js';

/** SHA-256, in lower-case hex, over the policy as canonical JSON. */
export const policyDigest = (policy: Policy): string => sha256(canonicalJson(policy as unknown as JsonObject));
