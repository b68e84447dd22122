import 'reflect-metadata';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { audit } from './audit.js';
import { Narrator } from './narrator.js';
import { DemoClock } from './demo-clock.js';
import { workOn } from './ongoing-work.js';
import { createOtherReleases } from './other-releases.js';
import { createUsers, type DemoUsers } from './demo-users.js';
import { DemoEnvironment } from './demo-environment.js';
import { FIRST_DAY, shipPastReleases } from './past-releases.js';
import { ReleaseWalkthrough } from './release-walkthrough.js';
import { createSecondWorkspace, fillWorkspace } from './workspace-contents.js';

const { values: options } = parseArgs({ options: { once: { type: 'boolean', default: false } } });
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const folder = path.join(root, '.demo');
const narrator = new Narrator();

rmSync(folder, { recursive: true, force: true });
const began = Date.now();
narrator.title('Shipgate: the life of a release, with a simulated GitHub and its CI.');
const clock = new DemoClock(FIRST_DAY);
const starting = DemoEnvironment.start(root, folder, { clock });
let ending: Promise<void> | undefined;
/** Stops all parts once, then this process. A part that is still starting is stopped, too, because the service is a process of its own. */
const end = (code: number): Promise<void> =>
  (ending ??= starting.then((started) => started.stop()).finally(() => process.exit(code)));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));
const environment = await starting;
narrator.does(
  `The service listens on ${environment.service.url}, with its own database. Its log is .demo/service.log.`,
);
if (environment.portNotice !== null) narrator.does(environment.portNotice);

let failures = 0;
let demoUsers: DemoUsers = { users: [], key: '' };
const ciSettings = {
  serviceUrl: environment.service.url,
  issuer: environment.issuer,
  reports: path.join(root, 'test/demo/reports'),
};
try {
  const walk = new ReleaseWalkthrough(environment, ciSettings, narrator);
  await walk.untilKnown(environment.repositories.payments, 'v1.4.0');
  await shipPastReleases(environment, ciSettings, clock, walk, narrator);
  await createOtherReleases(environment, ciSettings, walk, narrator);
  await walk.play();
  await fillWorkspace(environment, ciSettings, walk, narrator);
  await createSecondWorkspace(environment, ciSettings, walk, narrator);
  failures += walk.failures;
  demoUsers = await createUsers(environment);
  failures += await audit(environment, folder, narrator);
} catch (error) {
  // Requests fail while Ctrl-C stops the service. That is no failure of the demo.
  if (ending) await ending;
  narrator.fails(error instanceof Error ? error.message : String(error));
  failures += 1;
}
narrator.title(
  failures === 0
    ? `Every step had the expected result (${Math.round((Date.now() - began) / 1000)} s).`
    : `${failures} steps had another result than expected. The log of the service is .demo/service.log.`,
);

if (options.once || failures > 0) await end(failures === 0 ? 0 : 1);
narrator.title('The service stays up until Ctrl-C. Every two minutes a hotfix is shipped.');
narrator.does('Open one of these and sign in. The simulated GitHub lets you choose a user.');
for (const [path, about] of [
  ['r/catalog/v0.9.0', 'a blocked release'],
  ['r/catalog/v0.8.4', 'one that waits for approval'],
  ['r/payments/v1.4.0', 'one that is shipped'],
  ['quality?repo=payments&milestone=v1.4.0', 'its scorecard'],
] as const) {
  narrator.does(`  ${environment.baseUrl}/w/acme/${path}`);
  narrator.detail(`  ${about}`);
}
narrator.does('The users:');
for (const { login, about } of demoUsers.users) narrator.detail(`${login}: ${about}`);
narrator.does(`The documentation of the API: ${environment.baseUrl}/api/docs`);
narrator.does('Upload a report and check the gate, as CI does. Copy these lines into another terminal:');
narrator.does(`  cd ${root}`);
narrator.does(
  `  export SHIPGATE_URL=${environment.baseUrl} SHIPGATE_REPO=acme/catalog SHIPGATE_API_KEY=${demoUsers.key}`,
);
narrator.does(
  '  node dist/cli/shipgate.cjs upload test/demo/reports/junit.xml --release v0.9.0 --pipeline mine --allow-committed',
);
narrator.does('  node dist/cli/shipgate.cjs gate --release v0.9.0 --any-sha');
narrator.detail('The gate is closed, and the answer says why.');
await workOn(environment, ciSettings);
