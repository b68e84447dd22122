import base from './jest.config.js';

/**
 * The configuration for long tests: the command line as a process, crashes, killed processes, failures of GitHub, and every combination of a
 * rule. CI runs them after `npm test`.
 */
export default {
  ...base,
  testMatch: ['**/*.long.spec.ts', '**/*.long.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
