import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import { TamperingService } from '../../src/features/repositories/tampering/tampering.service.js';
import type {
  BranchCheck,
  RepositoryCheck,
} from '../../src/features/repositories/tampering/watched-files.repository.js';
import { WorkflowFilesService } from '../../src/features/repositories/workflow-files/workflow-files.service.js';
import { RepositoriesRepository } from '../../src/workspaces/repositories.repository.js';
import { TestEnvironment } from '../support/test-environment.js';
import { CHANGED, CI, ENFORCE, InstalledScenario } from './scenarios/installed-scenario.js';

const FOLDER = /^GET .*\/contents\/\.github(\/|%2F)workflows/;

describe('workflow files that change around their installation', () => {
  let env: TestEnvironment;
  let orgId: OrgId;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    orgId = await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  const idOf = async ({ repository }: InstalledScenario): Promise<string> => {
    const [row] = await env.asSuperuser<{ id: string }>(`select id from repository where github_id = ${repository.id}`);
    return row?.id ?? '';
  };
  /** Lets the service learn that the files were installed by a merge. */
  const installed = async (repo: InstalledScenario): Promise<void> => {
    const id = await idOf(repo);
    await env.database.inTenant(orgId, (tx) =>
      env.app.get(WorkflowFilesService).saveInstallation(tx, id, 'revision', env.clock.now()),
    );
  };

  /** Saves the result of a check whose request to GitHub was sent at `observedAt`. */
  const ended = async (
    repo: InstalledScenario,
    observedAt: Date,
    { watched, tampered }: Pick<RepositoryCheck, 'watched'> & Pick<BranchCheck, 'tampered'>,
  ): Promise<void> => {
    const id = await idOf(repo);
    const head = { branch: 'main', trunk: true, sha: repo.head(), observedAt };
    const found = { ...head, present: [CI, ENFORCE], published: [ENFORCE], tampered };
    await env.database.inTenant(orgId, async (tx) => {
      const repository = await env.app.get(RepositoriesRepository).find(tx, id);
      if (!repository) throw new Error('the service has not stored the repository');
      const reading = { watched, heads: [head], branches: [found], startedAt: observedAt };
      await env.app.get(TamperingService).record(tx, repository, reading);
    });
  };

  it('are reported if they changed before the service knew that it had installed them', async () => {
    const repo = await InstalledScenario.install(env, { name: 'early' }, { [CI]: CHANGED, [ENFORCE]: CHANGED });
    expect(await repo.flags()).toEqual([]);
    await installed(repo);
    await env.waitUntilIdle();
    expect(await repo.flags()).toEqual([`main ${CI}`, `main ${ENFORCE}`]);
  });

  it('close the gate from the time of their installation until they were checked', async () => {
    const repo = await InstalledScenario.install(
      env,
      { name: 'between' },
      { [CI]: 'name: ours\n', [ENFORCE]: CHANGED },
    );
    await repo.approved('v1.0.0');
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    env.github.faults.next({ kind: '5xx', match: FOLDER, times: 1_000 });
    await installed(repo);
    // Without `explain` the gate uses the stored facts as long as they are fresh.
    expect(await repo.gate('v1.0.0', { explain: 'false' })).toMatchObject({ can_deploy: false });
    expect(await repo.reasons('v1.0.0')).toEqual(['workflows_unknown']);
  });

  it('are reported by a check that includes them, even if a check without them began later', async () => {
    const repo = await InstalledScenario.install(env, { name: 'outrun' }, { [CI]: CHANGED });
    expect(await repo.flags()).toEqual([]);
    await ended(repo, new Date(env.clock.now().getTime() - 60_000), { watched: [CI, ENFORCE], tampered: [CI] });
    expect(await repo.flags()).toEqual([`main ${CI}`]);
  });

  it('are checked again if releases use a branch in another way, even if it did not move', async () => {
    const repo = await InstalledScenario.install(env, { name: 'promoted' });
    repo.repository.createBranch('release/next', repo.head());
    await env.waitUntilIdle();
    const isTrunk = (): Promise<unknown> =>
      env.asSuperuser(
        `select trunk from watched_branch b join repository r on r.id = b.repository_id
         where r.github_id = ${repo.repository.id} and branch = 'release/next'`,
      );
    expect(await isTrunk()).toEqual([{ trunk: false }]);
    repo.repository.defaultBranch = 'release/next';
    env.clock.advance(60_000);
    await env.resync();
    expect(await isTrunk()).toEqual([{ trunk: true }]);
  });

  it('remain reported after the end of a check that began before they were managed', async () => {
    const repo = await InstalledScenario.install(env, { name: 'overtaken' });
    await repo.push({ [CI]: CHANGED });
    env.clock.advance(60_000);
    await ended(repo, env.clock.now(), { watched: [ENFORCE], tampered: [] });
    expect(await repo.flags()).toEqual([`main ${CI}`]);
    await env.waitUntilIdle();
    expect(await repo.flags()).toEqual([`main ${CI}`]);
  });
});
