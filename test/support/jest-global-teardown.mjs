/** Stops the run's server and removes its files. */
// oxlint-disable-next-line import/no-default-export -- the one export that Jest takes
export default async function tearDown() {
  await globalThis.stopTestServer?.();
}
