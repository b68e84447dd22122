import base from './jest.config.js';

/** The configuration for the full fault tests, which run one after the other for hours. `npm run test:long` runs short forms. */
export default {
  ...base,
  testMatch: ['**/test/faults/**/*.fault-spec.ts'],
  testTimeout: 3_600_000,
  maxWorkers: 1,
};
