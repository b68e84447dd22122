import base from './jest.config.js';

/**
 * The configuration for long tests: every route and credential, the less common paths of each feature, the command line as a process, crashes,
 * failures of GitHub, and every combination of a rule. CI runs them after `npm test`.
 */
export default {
  ...base,
  testMatch: ['**/*.long.spec.ts', '**/*.long.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
