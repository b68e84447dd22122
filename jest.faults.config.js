import base from './jest.config.js';

/** Jest as faults are looked for in full: for as long as it takes, one after the other. `npm run test:long` runs short forms. */
export default {
  ...base,
  testMatch: ['**/test/faults/**/*.fault-spec.ts'],
  testTimeout: 3_600_000,
  maxWorkers: 1,
};
