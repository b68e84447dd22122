import base from './jest.config.js';

/** Jest as all screens of the dashboard are tested: in one browser and one service. `npm test` runs the most important ones. */
export default {
  ...base,
  testMatch: ['**/test/browser/**/*.browser-spec.ts'],
  maxWorkers: 1,
};
