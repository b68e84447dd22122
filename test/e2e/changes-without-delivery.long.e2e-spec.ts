import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Installation } from '../github-sim/state/installation.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { Repository } from '../github-sim/state/repository.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
});
afterAll(() => env.stop());

let organizations = 0;
let organization: Organization;
let installation: Installation;

beforeEach(async () => {
  organizations += 1;
  organization = env.github.createOrganization({ login: `orga-${organizations}` });
  installation = env.github.installApp(env.githubApp, organization);
  await env.waitUntilIdle();
});
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

const scenario = (name: string, sdlc = PLAIN_POLICY): RepositoryScenario =>
  new RepositoryScenario(env, { name: `${name}-${organizations}`, organization, sdlc });

/** Whether the gate is open, without and with `explain`. */
async function answers(repo: RepositoryScenario): Promise<readonly boolean[]> {
  const plain = await repo.gate('v1.0.0', { explain: 'false' });
  const explained = await repo.gate('v1.0.0');
  return [plain.can_deploy, explained.can_deploy];
}

/** Creates a repository with an open gate. Returns a function that dismisses the approval. */
async function open(name: string): Promise<{ readonly repo: RepositoryScenario; readonly dismiss: () => void }> {
  const repo = scenario(name);
  await repo.evidencing('v1.0.0');
  const review = repo.approve('v1.0.0');
  await env.waitUntilIdle();
  expect(await answers(repo)).toEqual([true, true]);
  return { repo, dismiss: () => repo.repository.pulls.reviews.dismiss(review) };
}

/** From now on GitHub returns no review. */
const hideReviews = (): void => env.github.faults.next({ kind: '5xx', match: /\/reviews/, times: 1_000 });

describe('a gate without deliveries from GitHub', () => {
  it('is closed while the app is suspended, and afterwards until the missed changes are read', async () => {
    const { repo, dismiss } = await open('suspended');
    installation.suspend();
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([false, false]);
    dismiss();
    hideReviews();
    installation.unsuspend();
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([false, false]);
    env.github.faults.clear();
    // The service does not call GitHub for a while after a failure.
    env.clock.advance(5 * MINUTE_MS);
    await env.resync();
    expect(await answers(repo)).toEqual([false, false]);
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([true, true]);
  });

  it('is closed after a suspension so short that only its end was delivered', async () => {
    const { repo, dismiss } = await open('shortly');
    env.outbox.faults.next({ kind: 'lose', event: 'installation' });
    installation.suspend();
    await env.waitUntilIdle();
    dismiss();
    hideReviews();
    installation.unsuspend();
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([false, false]);
  });

  it('is closed after the app was uninstalled and installed again', async () => {
    const { repo, dismiss } = await open('uninstalled');
    env.outbox.faults.next({ kind: 'lose', event: 'installation' });
    installation.delete();
    dismiss();
    hideReviews();
    installation = env.github.installApp(env.githubApp, organization);
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([false, false]);
  });

  it('is closed as soon as the app is uninstalled', async () => {
    const { repo } = await open('gone');
    installation.delete();
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([false, false]);
  });

  it('is closed after the owner granted other permissions, until the facts they hid are read', async () => {
    const { repo, dismiss } = await open('permitted');
    env.outbox.faults.next({ kind: 'lose', event: 'pull_request_review' });
    dismiss();
    await env.waitUntilIdle();
    hideReviews();
    installation.accept({ ...installation.permissions, environments: 'read' });
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([false, false]);
  });

  it.each(['one by one', 'at once'])(
    'is closed after the app was removed from its repository and added again, %s',
    async (how) => {
      const chosen = scenario('chosen');
      const other = scenario('other');
      installation.delete();
      await env.waitUntilIdle();
      installation = env.github.installApp(env.githubApp, organization, {
        repositories: [chosen.repository, other.repository],
      });
      await env.waitUntilIdle();
      await chosen.evidencing('v1.0.0');
      const review = chosen.approve('v1.0.0');
      await env.waitUntilIdle();
      expect(await answers(chosen)).toEqual([true, true]);
      installation.removeRepositories([chosen.repository]);
      if (how === 'one by one') await env.waitUntilIdle();
      chosen.repository.pulls.reviews.dismiss(review);
      hideReviews();
      installation.addRepositories([chosen.repository]);
      await env.waitUntilIdle();
      expect(await answers(chosen)).toEqual([false, false]);
    },
  );
});

describe('a deployment while the app is suspended', () => {
  it('is ungoverned, although the gate was open shortly before', async () => {
    const { repo } = await open('deployed');
    env.clock.advance(2_000);
    installation.suspend();
    await env.waitUntilIdle();
    await repo.deploy(repo.head());
    env.clock.advance(5_000);
    installation.unsuspend();
    await env.waitUntilIdle();
    await env.resync();
    const kinds = await env.asSuperuser(
      `select kind from deployment_record h join repository r on r.id = h.repository_id
       where r.github_id = ${repo.repository.id}`,
    );
    expect(kinds).toEqual([{ kind: 'ungoverned' }]);
  });
});

describe('the default policy of an organization', () => {
  const STRICTER = `${PLAIN_POLICY}quality_gates:\n  coverage: { min_line_percent: 80 }\n`;
  const defaults = (sdlc: string): Repository =>
    env.github.createRepository(organization, { name: '.github', files: { 'sdlc.yaml': sdlc } });
  const pushed = async (repository: Repository, sdlc: string): Promise<void> => {
    repository.commit({ files: { 'sdlc.yaml': sdlc } });
    await env.waitUntilIdle();
  };

  it('applies to every repository as soon as it is pushed', async () => {
    const common = defaults(PLAIN_POLICY);
    await env.waitUntilIdle();
    const { repo } = await open('governed');
    await pushed(common, STRICTER);
    expect(await answers(repo)).toEqual([false, false]);
    await pushed(common, PLAIN_POLICY);
    expect(await answers(repo)).toEqual([true, true]);
  });

  it('applies as soon as it exists', async () => {
    const { repo } = await open('ungoverned');
    defaults(STRICTER);
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([false, false]);
  });

  it('applies as soon as another repository gets its name', async () => {
    const { repo } = await open('renamed');
    const common = scenario('common', STRICTER);
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([true, true]);
    common.repository.rename('.github');
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([false, false]);
  });
});

describe('the permissions that users have through teams', () => {
  it('end as soon as a team loses a repository', async () => {
    const repo = scenario('granted');
    const ada = env.github.createUser({ login: `ada-${organizations}` });
    const team = env.github.createTeam(organization, 'writers', [ada]);
    team.grant(repo.repository, 'write');
    await repo.evidencing('v1.0.0');
    repo.approve('v1.0.0', ada);
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([true, true]);
    env.clock.advance(MINUTE_MS);
    team.grant(repo.repository, 'read');
    await env.waitUntilIdle();
    expect(await answers(repo)).toEqual([false, false]);
  });
});
