import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Installation } from '../github-sim/state/installation.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { Repository } from '../github-sim/state/repository.js';
import { TestEnvironment } from '../support/world.js';
import { PLAIN_POLICY, RepositoryScene } from './scene/repository-scene.js';

const MINUTE_MS = 60_000;

let world: TestEnvironment;
beforeAll(async () => {
  world = await TestEnvironment.start({ BILLING: 'off' });
});
afterAll(() => world.stop());

let organizations = 0;
let organization: Organization;
let installation: Installation;

beforeEach(async () => {
  organizations += 1;
  organization = world.github.createOrganization({ login: `orga-${organizations}` });
  installation = world.github.installApp(world.githubApp, organization);
  await world.settle();
});
afterEach(() => {
  world.github.faults.clear();
  expect(world.violations).toEqual([]);
});

const scene = (name: string, sdlc = PLAIN_POLICY): RepositoryScene =>
  new RepositoryScene(world, { name: `${name}-${organizations}`, organization, sdlc });

/** What the gate says by what is stored where that is fresh, and when it explains itself. */
async function answers(repo: RepositoryScene): Promise<readonly boolean[]> {
  const plain = await repo.gate('v1.0.0', { explain: 'false' });
  const explained = await repo.gate('v1.0.0');
  return [plain.can_deploy, explained.can_deploy];
}

/** A repository whose gate is open, and the approval that it rests on. */
async function open(name: string): Promise<{ readonly repo: RepositoryScene; readonly dismiss: () => void }> {
  const repo = scene(name);
  await repo.evidencing('v1.0.0');
  const review = repo.approve('v1.0.0');
  await world.settle();
  expect(await answers(repo)).toEqual([true, true]);
  return { repo, dismiss: () => repo.repository.pulls.reviews.dismiss(review) };
}

/** From here on GitHub tells of no review, whoever asks. */
const hideReviews = (): void => world.github.faults.next({ kind: '5xx', match: /\/reviews/, times: 1_000 });

describe('a gate of which GitHub told nothing for a while', () => {
  it('is closed while the app is suspended, and when it is back until GitHub has told what changed meanwhile', async () => {
    const { repo, dismiss } = await open('suspended');
    installation.suspend();
    await world.settle();
    expect(await answers(repo)).toEqual([false, false]);
    dismiss();
    hideReviews();
    installation.unsuspend();
    await world.settle();
    expect(await answers(repo)).toEqual([false, false]);
    world.github.faults.clear();
    // A host that failed is left alone for a while.
    world.clock.advance(5 * MINUTE_MS);
    await world.resync();
    expect(await answers(repo)).toEqual([false, false]);
    repo.approve('v1.0.0');
    await world.settle();
    expect(await answers(repo)).toEqual([true, true]);
  });

  it('is closed where the app was suspended so shortly that only its return was told', async () => {
    const { repo, dismiss } = await open('shortly');
    world.outbox.faults.next({ kind: 'lose', event: 'installation' });
    installation.suspend();
    await world.settle();
    dismiss();
    hideReviews();
    installation.unsuspend();
    await world.settle();
    expect(await answers(repo)).toEqual([false, false]);
  });

  it('is closed where the app was uninstalled and installed again', async () => {
    const { repo, dismiss } = await open('uninstalled');
    world.outbox.faults.next({ kind: 'lose', event: 'installation' });
    installation.delete();
    dismiss();
    hideReviews();
    installation = world.github.installApp(world.githubApp, organization);
    await world.settle();
    expect(await answers(repo)).toEqual([false, false]);
  });

  it('is closed at once where the app is uninstalled', async () => {
    const { repo } = await open('gone');
    installation.delete();
    await world.settle();
    expect(await answers(repo)).toEqual([false, false]);
  });

  it('is closed where its owner granted other permissions, until GitHub has told what they hid', async () => {
    const { repo, dismiss } = await open('permitted');
    world.outbox.faults.next({ kind: 'lose', event: 'pull_request_review' });
    dismiss();
    await world.settle();
    hideReviews();
    installation.accept({ ...installation.permissions, environments: 'read' });
    await world.settle();
    expect(await answers(repo)).toEqual([false, false]);
  });

  it.each(['one by one', 'at once'])(
    'is closed where the app was taken from its repository and given back, %s',
    async (how) => {
      const chosen = scene('chosen');
      const other = scene('other');
      installation.delete();
      await world.settle();
      installation = world.github.installApp(world.githubApp, organization, {
        repositories: [chosen.repository, other.repository],
      });
      await world.settle();
      await chosen.evidencing('v1.0.0');
      const review = chosen.approve('v1.0.0');
      await world.settle();
      expect(await answers(chosen)).toEqual([true, true]);
      installation.removeRepositories([chosen.repository]);
      if (how === 'one by one') await world.settle();
      chosen.repository.pulls.reviews.dismiss(review);
      hideReviews();
      installation.addRepositories([chosen.repository]);
      await world.settle();
      expect(await answers(chosen)).toEqual([false, false]);
    },
  );
});

describe('a deployment while the app is suspended', () => {
  it('is ungoverned, although the gate stood open shortly before', async () => {
    const { repo } = await open('deployed');
    world.clock.advance(2_000);
    installation.suspend();
    await world.settle();
    await repo.deploy(repo.head());
    world.clock.advance(5_000);
    installation.unsuspend();
    await world.settle();
    await world.resync();
    const kinds = await world.asSuperuser(
      `select kind from deployment_record h join repository r on r.id = h.repository_id
       where r.github_id = ${repo.repository.id}`,
    );
    expect(kinds).toEqual([{ kind: 'ungoverned' }]);
  });
});

describe("an organization's default policy", () => {
  const STRICTER = `${PLAIN_POLICY}quality_gates:\n  coverage: { min_line_percent: 80 }\n`;
  const defaults = (sdlc: string): Repository =>
    world.github.createRepository(organization, { name: '.github', files: { 'sdlc.yaml': sdlc } });
  const pushed = async (repository: Repository, sdlc: string): Promise<void> => {
    repository.commit({ files: { 'sdlc.yaml': sdlc } });
    await world.settle();
  };

  it('holds for every repository as soon as it was pushed', async () => {
    const common = defaults(PLAIN_POLICY);
    await world.settle();
    const { repo } = await open('governed');
    await pushed(common, STRICTER);
    expect(await answers(repo)).toEqual([false, false]);
    await pushed(common, PLAIN_POLICY);
    expect(await answers(repo)).toEqual([true, true]);
  });

  it('holds as soon as there is one', async () => {
    const { repo } = await open('ungoverned');
    defaults(STRICTER);
    await world.settle();
    expect(await answers(repo)).toEqual([false, false]);
  });

  it('holds as soon as another repository is called so', async () => {
    const { repo } = await open('renamed');
    const common = scene('common', STRICTER);
    await world.settle();
    expect(await answers(repo)).toEqual([true, true]);
    common.repository.rename('.github');
    await world.settle();
    expect(await answers(repo)).toEqual([false, false]);
  });
});

describe('what people may do by their teams', () => {
  it('counts no more as soon as a team loses a repository', async () => {
    const repo = scene('granted');
    const ada = world.github.createUser({ login: `ada-${organizations}` });
    const team = world.github.createTeam(organization, 'writers', [ada]);
    team.grant(repo.repository, 'write');
    await repo.evidencing('v1.0.0');
    repo.approve('v1.0.0', ada);
    await world.settle();
    expect(await answers(repo)).toEqual([true, true]);
    world.clock.advance(MINUTE_MS);
    team.grant(repo.repository, 'read');
    await world.settle();
    expect(await answers(repo)).toEqual([false, false]);
  });
});
