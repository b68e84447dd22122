import 'reflect-metadata';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { audit } from './audit.js';
import { Narrator } from './narrator.js';
import { workOn } from './ongoing-work.js';
import { createOtherReleases } from './other-releases.js';
import { createUsers, type DemoUsers } from './demo-users.js';
import { DemoEnvironment } from './demo-environment.js';
import { ReleaseWalkthrough } from './release-walkthrough.js';
import { fillWorkspace } from './workspace-contents.js';

const { values: options } = parseArgs({ options: { once: { type: 'boolean', default: false } } });
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const folder = path.join(root, '.demo');
const narrator = new Narrator();

rmSync(folder, { recursive: true, force: true });
const began = Date.now();
narrator.title('Shipgate: one release through its whole life, between a simulated GitHub and its CI.');
const raising = DemoEnvironment.raise(root, folder);
let ending: Promise<void> | undefined;
/** Ends it all, once, and this process with it; also what is only being raised, because the service is a process of its own. */
const end = (code: number): Promise<void> =>
  (ending ??= raising.then((raised) => raised.strike()).finally(() => process.exit(code)));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));
const set = await raising;
narrator.does(`The service listens on ${set.service.url}, with a database of its own; its log is .demo/service.log.`);

let wrong = 0;
let inhabited: DemoUsers = { users: [], key: '' };
const surroundings = {
  serviceUrl: set.service.url,
  issuer: set.issuer,
  reports: path.join(root, 'test/demo/reports'),
};
try {
  const walk = new ReleaseWalkthrough(set, surroundings, narrator);
  await walk.untilKnown(set.repositories.payments, 'v1.4.0');
  await createOtherReleases(set, surroundings, walk, narrator);
  await walk.play();
  await fillWorkspace(set, surroundings, walk, narrator);
  wrong += walk.failures;
  inhabited = await createUsers(set);
  wrong += await audit(set, folder, narrator);
} catch (error) {
  // What is taken away in the middle of the walk fails, and is no fault.
  if (ending) await ending;
  narrator.fails(error instanceof Error ? error.message : String(error));
  wrong += 1;
}
narrator.title(
  wrong === 0
    ? `All went as it must, at every step (${Math.round((Date.now() - began) / 1000)} s).`
    : `Something went otherwise than it must ${wrong} times. The service's log is in .demo/service.log.`,
);

if (options.once || wrong > 0) await end(wrong === 0 ? 0 : 1);
narrator.title('It stays up for a look; Ctrl-C ends it. A hotfix is shipped every two minutes meanwhile.');
narrator.does('Open one of these and sign in: the simulated GitHub asks as whom.');
for (const [path, about] of [
  ['r/catalog/v0.9.0', 'a blocked release'],
  ['r/catalog/v0.8.4', 'one that waits for approval'],
  ['r/payments/v1.4.0', 'one that is shipped'],
  ['quality?repo=payments&milestone=v1.4.0', 'its scorecard'],
] as const) {
  narrator.does(`  ${set.baseUrl}/w/acme/${path}`);
  narrator.detail(`  ${about}`);
}
narrator.does('The users:');
for (const { login, about } of inhabited.users) narrator.detail(`${login}: ${about}`);
narrator.does(`The API, documented: ${set.baseUrl}/api/docs`);
narrator.does('Ask the gate yourself, with this key of the workspace:');
const query = `${set.baseUrl}/api/milestones/check?repo=catalog&version=v0.9.0&explain=true`;
narrator.does(`  curl -H "Authorization: Bearer ${inhabited.key}" "${query}"`);
await workOn(set, surroundings);
