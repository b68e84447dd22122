import base from './jest.config.js';

/** Jest as the image is tested: built and started with Docker or Podman. It needs a minute or more and the network, so `npm test` leaves it out. */
export default {
  ...base,
  testMatch: ['**/test/deployment/*.image-spec.ts'],
  testTimeout: 1_800_000,
  maxWorkers: 1,
};
