import { setTimeout as sleep } from 'node:timers/promises';
import type { Repository } from '../github-sim/state/repository.js';
import { Ci, type CiSettings, nextRunId } from './ci.js';
import { type DemoEnvironment, PLAIN_SDLC } from './demo-environment.js';
import { DemoUser } from './demo-user.js';
import { shipHotfix } from './hotfix.js';
import type { Narrator } from './narrator.js';
import type { ReleaseWalkthrough } from './release-walkthrough.js';

const DAY_MS = 86_400_000;
/** GitHub states times in whole seconds, so deployments are apart by more. */
const SECOND_MS = 2_100;

interface ListedRelease {
  readonly milestoneId: string;
  readonly repoId: string;
  readonly repo: string;
  readonly version: string;
}

/** Adds deployments, a project, a freeze and a waiver that waits to the workspace. */
export async function fillWorkspace(
  environment: DemoEnvironment,
  ciSettings: CiSettings,
  walk: ReleaseWalkthrough,
  narrator: Narrator,
): Promise<void> {
  const { catalog } = environment.repositories;
  const { developer } = environment.accounts;
  narrator.chapter('The workspace: deployments, a project, a freeze and a waiver');
  const deploy = (sha: string): void => {
    const deployment = catalog.deployments.create({ ref: sha, environment: 'production', creator: developer });
    catalog.deployments.setStatus(deployment, 'success');
  };
  narrator.does('Two hotfixes of catalog are shipped.');
  const first = await shipHotfix(environment, ciSettings, walk, {
    repository: catalog,
    version: 'v0.8.2',
    title: 'Show prices with taxes',
  });
  await shipHotfix(environment, ciSettings, walk, {
    repository: catalog,
    version: 'v0.8.3',
    title: 'Sort by price again',
  });
  await sleep(SECOND_MS);
  deploy(first);
  narrator.does('The second one is rolled back.');
  await sleep(SECOND_MS);
  deploy(catalog.commit({ files: { 'src/debug.ts': 'export const debug = true;\n' }, author: developer }));
  narrator.does(`${developer.login} deploys a commit past the gate, which the history shows as ungoverned.`);

  const owner = await DemoUser.signIn(environment.baseUrl, environment.accounts.owner.login);
  const { releases } = await owner.get<{ releases: readonly ListedRelease[] }>('/api/dashboard?page=1&pageSize=50');
  const find = (repo: string, version: string): ListedRelease => {
    const found = releases.find((release) => release.repo === repo && release.version === version);
    if (!found) throw new Error(`${repo} ${version} is not listed`);
    return found;
  };

  const project = await owner.post<{ id: string }>('/api/projects', {
    name: 'Winter sale',
    description: 'Discounts in the shop and in search',
    targetDate: dayFromNow(30),
  });
  for (const { repoId, milestoneId } of [find('checkout', 'v2.3.0'), find('catalog', 'v0.9.0')]) {
    await owner.put(`/api/projects/${project.id}/repos/${repoId}`, { milestoneId });
  }
  narrator.does('The project "Winter sale" has two releases.');

  await owner.post('/api/freezes', { from: dayFromNow(5), to: dayFromNow(9), reason: 'Stocktaking' });
  narrator.does('No deployment is allowed during the stocktaking, which starts in 5 days.');

  await owner.post(`/api/milestones/${find('catalog', 'v0.9.0').milestoneId}/waivers`, {
    condition: 'evidence_failing',
    reason: 'The failing test depends on a service of a partner that is down today.',
    expiresAt: new Date(Date.now() + DAY_MS).toISOString(),
  });
  narrator.does(`${environment.accounts.owner.login} requests a waiver, which another admin must confirm.`);
}

/**
 * Creates a workspace of another organization, whose owner is invited to the first one. Its releases are planned, blocked, waiting for an
 * approval and shipped.
 */
export async function createSecondWorkspace(
  environment: DemoEnvironment,
  ciSettings: CiSettings,
  walk: ReleaseWalkthrough,
  narrator: Narrator,
): Promise<void> {
  const { github, githubApp, accounts } = environment;
  const { developer, releaseManager, secondDeveloper: owner } = accounts;
  narrator.chapter('Another workspace: its releases are visible to its own members only');
  const organization = github.createOrganization({ login: 'acme-labs', founder: owner });
  const repository = (name: string): Repository => {
    const files = { 'sdlc.yaml': PLAIN_SDLC, 'README.md': `# ${name}\n` };
    const created = github.createRepository(organization, { name, private: true, files });
    for (const user of [developer, releaseManager]) created.setCollaborator(user, 'write');
    return created;
  };
  const [prototype, sensors] = [repository('prototype'), repository('sensors')];
  github.installApp(githubApp, organization);
  narrator.does(`${owner.login} installs the app in acme-labs.`);

  const milestone = prototype.milestones.create({ title: 'v0.1.0' });
  prototype.issues.create({ title: 'Show the first page', milestone, assignees: [owner] });
  await walk.untilKnown(prototype, 'v0.1.0');
  await walk.expectGate(prototype, 'v0.1.0', { stage: 'PLANNING', canDeploy: false });

  await shipHotfix(environment, ciSettings, walk, {
    repository: sensors,
    version: 'v1.0.1',
    title: 'Repeat a lost measurement',
  });
  const test = async (version: string, files: Record<string, string>, report: string): Promise<void> => {
    sensors.milestones.create({ title: version });
    const sha = sensors.commit({ files, author: owner });
    await walk.untilKnown(sensors, version);
    const ci = new Ci(ciSettings, sensors, { sha, runId: nextRunId() });
    walk.expectStatus(await ci.upload(version, 'test', [report]), 201, `CI of sensors uploads ${report}`);
  };
  await test('v1.1.0', { 'src/humidity.ts': 'export const humidity = 0.4;\n' }, 'junit.xml');
  await walk.evidencePull(sensors, 'v1.1.0');
  await walk.expectGate(sensors, 'v1.1.0', { stage: 'EVIDENCING', canDeploy: false, because: 'approvals_missing' });
  await test('v2.0.0', { 'src/alarm.ts': 'export const alarm = null;\n' }, 'junit-red.xml');
  await walk.expectGate(sensors, 'v2.0.0', { stage: 'TESTING', canDeploy: false, because: 'evidence_failing' });
}

const dayFromNow = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
