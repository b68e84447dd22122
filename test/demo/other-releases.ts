import { Ci, nextRunId, type CiSettings } from './ci.js';
import type { Narrator } from './narrator.js';
import type { DemoEnvironment } from './demo-environment.js';
import type { ReleaseWalkthrough } from './release-walkthrough.js';

const DAY_MS = 86_400_000;
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

/** Creates releases in other stages. */
export async function createOtherReleases(
  environment: DemoEnvironment,
  ciSettings: CiSettings,
  walk: ReleaseWalkthrough,
  narrator: Narrator,
): Promise<void> {
  const { checkout, catalog } = environment.repositories;
  const { developer, releaseManager } = environment.accounts;
  narrator.chapter('The workspace: releases of other repositories');

  checkout.milestones.create({ title: 'v3.0.0', description: 'Next year', dueOn: inDays(7) });
  await walk.expectGate(checkout, 'v3.0.0', { stage: 'PLANNING', canDeploy: false, because: 'not_started' });

  const discount = checkout.milestones.create({ title: 'v2.3.0', dueOn: inDays(-2) });
  checkout.issues.create({ title: 'Discounts at the till', milestone: discount, assignees: [developer] });
  const head = checkout.commit({ files: { 'src/discount.ts': 'export const discount = 0.1;\n' }, author: developer });
  checkout.createBranch('release/v2.3.0', head, developer);
  await walk.expectGate(checkout, 'v2.3.0', { stage: 'DEVELOPMENT', canDeploy: false, because: 'issue_open' });

  catalog.milestones.create({ title: 'v0.9.0', dueOn: inDays(3) });
  const broken = catalog.commit({ files: { 'src/search.ts': 'export const search = null;\n' }, author: developer });
  const run = new Ci(ciSettings, catalog, { sha: broken, runId: nextRunId() });
  await walk.untilKnown(catalog, 'v0.9.0');
  walk.expectStatus(
    await run.upload('v0.9.0', 'test', ['junit-red.xml']),
    201,
    'CI of catalog uploads a red JUnit file',
  );
  await walk.expectGate(catalog, 'v0.9.0', { stage: 'TESTING', canDeploy: false, because: 'evidence_failing' });

  catalog.milestones.create({ title: 'v0.8.4', description: 'Hotfix' });
  const fix = catalog.commit({ files: { 'src/prices.ts': 'export const prices = [1];\n' }, author: developer });
  catalog.createBranch('hotfix/v0.8.4', fix, developer);
  const fixRun = new Ci(ciSettings, catalog, { sha: fix, runId: nextRunId() });
  await walk.untilKnown(catalog, 'v0.8.4');
  walk.expectStatus(await fixRun.upload('v0.8.4', 'test', ['junit.xml']), 201, 'CI of the hotfix uploads a green one');
  await walk.expectGate(catalog, 'v0.8.4', { stage: 'EVIDENCING', canDeploy: false });

  checkout.milestones.create({ title: 'v2.2.1', description: 'Hotfix' });
  const rounding = checkout.commit({ files: { 'src/total.ts': 'export const cents = 2;\n' }, author: developer });
  checkout.createBranch('hotfix/v2.2.1', rounding, developer);
  const roundingRun = new Ci(ciSettings, checkout, { sha: rounding, runId: nextRunId() });
  await walk.untilKnown(checkout, 'v2.2.1');
  walk.expectStatus(await roundingRun.upload('v2.2.1', 'test', ['junit.xml']), 201, 'CI of another hotfix as well');
  checkout.pulls.reviews.submit(await walk.evidencePull(checkout, 'v2.2.1'), { by: releaseManager, state: 'APPROVED' });
  await walk.expectGate(checkout, 'v2.2.1', { stage: 'DEPLOYMENT', canDeploy: true });
}
