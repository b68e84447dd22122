import { createHash } from 'node:crypto';
import { keySecret } from '../../src/domain/keys/key-secret.js';

/** The API key of an organization, the same whenever it is asked for. */
export const secretOf = (organization: number): string =>
  keySecret('sgk', createHash('sha256').update(`organization ${organization}`).digest());
