import { availableParallelism } from 'node:os';

const jsc = {
  target: 'es2022',
  keepClassNames: true,
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
};

/** @type {import('jest').Config} */
export default {
  roots: ['<rootDir>/bench', '<rootDir>/src', '<rootDir>/test', '<rootDir>/migrations', '<rootDir>/web/src'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.long\\.(e2e-)?spec\\.ts$'],
  // A worker loads packages once, and our sources for each test file: docs/adr/0016.
  testEnvironment: './test/support/jest-environment.mjs',
  testRunner: './test/support/jest-runner.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { swcrc: false, sourceMaps: 'inline', jsc, module: { type: 'es6' } }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: './test/support/jest-global-setup.mjs',
  globalTeardown: './test/support/jest-global-teardown.mjs',
  // Long, because test machines are busy. It ends only tests that would never end.
  testTimeout: 120_000,
  // Test files wait for Postgres, sockets and deadlines. On two cores, two workers leave a quarter of the cores idle, and four workers take
  // no less time than three.
  maxWorkers: Math.max(3, availableParallelism()),
  workerIdleMemoryLimit: '1200MB',
};
