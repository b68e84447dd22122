import base from './jest.config.js';

/** The configuration for tests of the screens of the dashboard, one file after the other. `npm test` runs those of one release. */
export default {
  ...base,
  testMatch: ['**/test/browser/**/*.browser-spec.ts'],
  maxWorkers: 1,
};
