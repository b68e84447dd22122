import { createHash } from 'node:crypto';
import { keySecret } from '../../src/domain/keys/key-secret.js';

/** Returns the API key of an organization, which is always the same. */
export const buildSecret = (organization: number): string =>
  keySecret('sgk', createHash('sha256').update(`organization ${organization}`).digest());
