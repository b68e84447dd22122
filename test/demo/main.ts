import 'reflect-metadata';
import { mkdirSync, rmSync } from 'node:fs';
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
import { DeployedArtifact, trustBuilds } from './deployed-artifact.js';
import { firstSteps } from './first-steps.js';
import { FIRST_DAY, shipPastReleases } from './past-releases.js';
import { ReleaseWalkthrough } from './release-walkthrough.js';
import { createSecondWorkspace, fillWorkspace } from './workspace-contents.js';

const { values: options } = parseArgs({ options: { once: { type: 'boolean', default: false } } });
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const folder = path.join(root, '.demo');
const narrator = new Narrator();

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const began = Date.now();
narrator.title('Shipgate: the life of a release, with a simulated GitHub and its CI.');
const clock = new DemoClock(FIRST_DAY);
const { instance, rootFile } = await trustBuilds(folder);
const starting = DemoEnvironment.start(root, folder, { clock, variables: { TRUSTED_ROOTS: rootFile } });
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
  const deployed = await DeployedArtifact.begin(environment, ciSettings, { instance, folder }, walk, narrator);
  await createOtherReleases(environment, ciSettings, walk, narrator);
  await walk.play();
  await fillWorkspace(environment, ciSettings, walk, narrator);
  await createSecondWorkspace(environment, ciSettings, walk, narrator);
  await deployed.finish();
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
const { pages, shell } = firstSteps({ baseUrl: environment.baseUrl, root, key: demoUsers.key, hasArtifact: true });
for (const { url, about } of pages) {
  narrator.does(`  ${url}`);
  narrator.detail(`  ${about}`);
}
narrator.does('The users:');
for (const { login, about } of demoUsers.users) narrator.detail(`${login}: ${about}`);
narrator.does(`The documentation of the API: ${environment.baseUrl}/api/docs`);
narrator.does(
  'Act as CI: create the release v0.10.0 of catalog on the dashboard, and run these lines in another terminal:',
);
for (const line of shell) narrator.does(`  ${line}`);
await workOn(environment, ciSettings);
