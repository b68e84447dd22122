import base from './jest.config.js';

/** The configuration for tests with the servers of the distribution's packages, one after the other. */
export default {
  ...base,
  testMatch: ['**/test/operate/**/*.operate-spec.ts'],
  testTimeout: 600_000,
  maxWorkers: 1,
};
