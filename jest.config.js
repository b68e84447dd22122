import { availableParallelism } from 'node:os';

const jsc = {
  target: 'es2022',
  keepClassNames: true,
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
};

// ESM-only packages that CommonJS dependencies require(): Jest's module registry needs them as CommonJS.
const esmLeaves = 'content-disposition|cookie';

/** @type {import('jest').Config} */
export default {
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/migrations'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { swcrc: false, sourceMaps: 'inline', jsc, module: { type: 'es6' } }],
    [`/node_modules/(${esmLeaves})/.+\\.js$`]: ['@swc/jest', { swcrc: false, jsc: { target: 'es2022' } }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmLeaves})/)`],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['reflect-metadata'],
  globalSetup: './test/support/jest-global-setup.mjs',
  globalTeardown: './test/support/jest-global-teardown.mjs',
  // For what never ends, and not for what is slow: machines that test are busy.
  testTimeout: 120_000,
  // The suites wait for Postgres, for sockets and for deadlines: two of them leave a quarter of two cores idle.
  maxWorkers: Math.max(3, availableParallelism()),
  workerIdleMemoryLimit: '1200MB',
};
