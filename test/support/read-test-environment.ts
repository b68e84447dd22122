import type { Environment } from '../../src/config/environment.js';
import { readEnvironment } from '../../src/config/read-environment.js';

/** A value of `ENCRYPTION_KEYS` with one key, for tests only. */
const TEST_ENCRYPTION_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;

/** The environment of a test: the defaults, fixed secrets, and the variables of the test. */
export const readTestEnvironment = (variables: Readonly<Record<string, string>> = {}): Environment =>
  readEnvironment({
    PORT: '0',
    SESSION_SECRET: 'a secret that no deployment has!',
    ENCRYPTION_KEYS: TEST_ENCRYPTION_KEYS,
    ...variables,
  });
