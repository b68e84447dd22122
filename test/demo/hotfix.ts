import { setTimeout as sleep } from 'node:timers/promises';
import type { Repository } from '../github-sim/state/repository.js';
import { Ci, nextRunId, type CiSettings } from './ci.js';
import type { DemoEnvironment } from './demo-environment.js';
import type { ReleaseWalkthrough } from './release-walkthrough.js';

interface Hotfix {
  readonly repository: Repository;
  readonly version: string;
  readonly title: string;
  /** The pause between two steps, in milliseconds. */
  readonly pauseMs?: number;
}

/** GitHub states times in whole seconds, so a deployment begins in a later second than its approval. */
const SECOND_MS = 2_100;

/** Ships a hotfix: milestone, issue, branch, evidence, approval, deployment. Returns the deployed commit. */
export async function shipHotfix(
  { accounts }: DemoEnvironment,
  ciSettings: CiSettings,
  walk: ReleaseWalkthrough,
  { repository, version, title, pauseMs = 0 }: Hotfix,
): Promise<string> {
  const { developer, releaseManager } = accounts;
  const milestone = repository.milestones.create({ title: version, description: 'Hotfix' });
  const issue = repository.issues.create({ title, milestone, author: releaseManager, assignees: [developer] });
  await sleep(pauseMs);
  const sha = repository.commit({
    files: { [`src/fixes/${version}.ts`]: `export const fix = '${title}';\n` },
    author: developer,
    message: title,
  });
  repository.createBranch(`hotfix/${version}`, sha, developer);
  repository.issues.close(issue, developer);
  await sleep(pauseMs);
  await walk.untilKnown(repository, version);
  const run = new Ci(ciSettings, repository, { sha, runId: nextRunId() });
  await run.upload(version, 'test', ['junit.xml']);
  await run.upload(version, 'quality', ['lcov.info', 'oxlint.sarif']);
  const pull = await walk.evidencePull(repository, version);
  await sleep(pauseMs);
  repository.pulls.reviews.submit(pull, { by: releaseManager, state: 'APPROVED' });
  await walk.expectGate(repository, version, { stage: 'DEPLOYMENT', canDeploy: true });
  await sleep(Math.max(pauseMs, SECOND_MS));
  const deployment = repository.deployments.create({ ref: sha, environment: 'production', creator: developer });
  repository.deployments.setStatus(deployment, 'success');
  await walk.expectGate(repository, version, { stage: 'DEPLOYED', canDeploy: true });
  return sha;
}
