/** Stops the run's server and removes its files. */
export default async function tearDown() {
  await globalThis.stopTestServer?.();
}
