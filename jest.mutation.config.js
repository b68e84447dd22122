import base from './jest.config.js';

const { globalSetup: _database, globalTeardown: _stop, ...rest } = base;
const [typescript, [swc, options]] = Object.entries(base.transform)[0];

/**
 * Jest as mutants of the pure rules are judged by: without a database, and as CommonJS, which loads several times as
 * fast. The generated specs are left out: a mutant has to be caught by a rule that somebody wrote down.
 */
export default {
  ...rest,
  roots: ['<rootDir>/src/domain', '<rootDir>/test/support'],
  testMatch: ['**/src/domain/**/*.spec.ts'],
  testPathIgnorePatterns: ['fuzz', 'fail-closed'],
  extensionsToTreatAsEsm: [],
  transform: { [typescript]: [swc, { ...options, module: { type: 'commonjs' } }] },
};
