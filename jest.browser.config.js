import base from './jest.config.js';

/** The configuration for tests of all screens of the dashboard, in one browser and one service. `npm test` runs the most important ones. */
export default {
  ...base,
  testMatch: ['**/test/browser/**/*.browser-spec.ts'],
  maxWorkers: 1,
};
