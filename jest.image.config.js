import base from './jest.config.js';

/**
 * The configuration for tests of the image, which Docker or Podman builds and starts. They need a minute or more and the network, so
 * `npm test` omits them.
 */
export default {
  ...base,
  testMatch: ['**/test/deployment/*.image-spec.ts'],
  testTimeout: 1_800_000,
  maxWorkers: 1,
};
