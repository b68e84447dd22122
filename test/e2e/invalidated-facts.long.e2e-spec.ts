import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { TenantTransaction } from '../../src/database/database.js';
import {
  type SavedEvaluation,
  ReleaseEvaluationService,
} from '../../src/features/releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../../src/features/releases/evaluation/release-refresh.service.js';
import { FactHintsRepository } from '../../src/features/releases/facts/fact-hints.repository.js';
import { FactsService } from '../../src/features/releases/facts/facts.service.js';
import { GitHubGateway } from '../../src/github/github-gateway.js';
import type { GateAnswer } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

const SIX_MINUTES_MS = 360_000;

describe('an open gate', () => {
  let env: TestEnvironment;
  const scenario = (name: string): RepositoryScenario => new RepositoryScenario(env, { name });
  /** The answer from the stored verdict if it is still valid. */
  const quickly = (repo: RepositoryScenario, version: string): Promise<GateAnswer> =>
    repo.gate(version, { explain: 'false' });

  const releaseOf = async ({ repository }: RepositoryScenario, version: string): Promise<string> => {
    const [row] = await env.database.inTenant(await env.orgId(), (tx) =>
      tx.query<{ readonly id: string }>(
        `select r.id from release r join repository repo on repo.id = r.repository_id
         where repo.github_id = $1 and r.version = $2 and r.deleted_at is null`,
        [repository.id, version],
      ),
    );
    return row?.id ?? '';
  };

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    jest.restoreAllMocks();
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  it('closes when it cannot read a reported change, however fresh the stored fact is', async () => {
    const repo = scenario('unreadable');
    await repo.evidencing('v1.0.0');
    const review = repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await quickly(repo, 'v1.0.0')).toMatchObject({ can_deploy: true });
    env.github.faults.next({ kind: '5xx', match: /\/reviews/, times: 100 });
    repo.repository.pulls.reviews.dismiss(review);
    await env.waitUntilIdle();
    expect(await quickly(repo, 'v1.0.0')).toMatchObject({ can_deploy: false });
  });

  it('closes for each release that uses a fact, whichever release it was read for', async () => {
    const repo = scenario('shared-fact');
    repo.milestone('v1.0.0');
    repo.milestone('v2.0.0');
    const sha = repo.commit();
    await env.waitUntilIdle();
    for (const version of ['v1.0.0', 'v2.0.0']) {
      await repo.test(version, sha);
      repo.approve(version);
    }
    await env.waitUntilIdle();
    expect(await quickly(repo, 'v2.0.0')).toMatchObject({ can_deploy: true });
    env.outbox.faults.next({ kind: 'lose', event: 'push' });
    repo.repository.commit({
      files: { 'sdlc.yaml': `${PLAIN_POLICY}quality_gates:\n  coverage: { min_line_percent: 80 }\n` },
    });
    await env.app.get(ReleaseRefreshService).refresh(
      await env.orgId(),
      await releaseOf(repo, 'v1.0.0'),
      { cause: 'test', actor: 'test' },
      {
        hints: [{ kind: 'policy', key: '' }],
      },
    );
    expect(await quickly(repo, 'v2.0.0')).toMatchObject({ can_deploy: false });
  });

  it('saves no closing decision only because there was no gate request for a while', async () => {
    const repo = scenario('unlooked');
    await repo.approved('v1.0.0');
    const releaseId = await releaseOf(repo, 'v1.0.0');
    const decisions = async (): Promise<number> =>
      (
        await env.database.inTenant(await env.orgId(), (tx) =>
          tx.query('select 1 from decision where release_id = $1', [releaseId]),
        )
      ).length;
    const before = await decisions();
    env.clock.advance(SIX_MINUTES_MS);
    repo.repository.issues.create({ title: 'Elsewhere', milestone: null });
    expect(await quickly(repo, 'v1.0.0')).toMatchObject({ can_deploy: true });
    await env.waitUntilIdle();
    expect(await decisions()).toBe(before);
  });

  it('is saved as closed when its facts have been expired for half a minute, and not before', async () => {
    const repo = scenario('unread');
    await repo.approved('v1.0.0');
    const releaseId = await releaseOf(repo, 'v1.0.0');
    const orgId = await env.orgId();
    const reevaluate = (tx: TenantTransaction): Promise<SavedEvaluation | null> =>
      env.app.get(ReleaseEvaluationService).evaluateAndSave(tx, releaseId, { cause: 'test', actor: 'test' });
    const before = await env.app.get(FactHintsRepository).next();
    const decisions = await env.database.inTenant(orgId, async (tx) => {
      const [release] = await tx.query<{ readonly repository_id: string }>(
        'select repository_id from release where id = $1',
        [releaseId],
      );
      const facts = env.app.get(FactsService);
      // No job can see the release before this transaction ends, so no job reads the fact again meanwhile.
      await facts.expire(tx, release!.repository_id, [{ kind: 'reviews', key: '1' }], { cause: 'test', before });
      const first = await reevaluate(tx);
      env.clock.advance(29_000);
      const waiting = await reevaluate(tx);
      env.clock.advance(2_000);
      const closed = await reevaluate(tx);
      return [waiting?.decisionId === first?.decisionId, closed?.decisionId === first?.decisionId];
    });
    expect(decisions).toEqual([true, false]);
    await env.waitUntilIdle();
    expect(await quickly(repo, 'v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('does not change when a list from GitHub lacks its milestone', async () => {
    const repo = scenario('unlisted');
    await repo.approved('v1.0.0');
    const { milestones } = env.app.get(GitHubGateway);
    jest.spyOn(milestones, 'list').mockResolvedValue({ value: [], observedAt: env.clock.now() });
    await env.resync();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: true });
  });

  it('opens again when GitHub returns a milestone that it had reported as deleted', async () => {
    const repo = scenario('resurrected');
    const sha = await repo.approved('v1.0.0');
    const releaseId = await releaseOf(repo, 'v1.0.0');
    const { milestones } = env.app.get(GitHubGateway);
    jest.spyOn(milestones, 'list').mockResolvedValue({ value: [], observedAt: env.clock.now() });
    jest
      .spyOn(milestones, 'find')
      .mockImplementation(() => Promise.resolve({ value: null, observedAt: env.clock.now() }));
    await env.resync();
    expect(await releaseOf(repo, 'v1.0.0')).toBe('');
    jest.restoreAllMocks();
    await env.resync();
    expect(await releaseOf(repo, 'v1.0.0')).toBe(releaseId);
    const answer = await repo.gate('v1.0.0', { sha });
    expect(codesOf(answer)).toEqual([]);
    expect(answer).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: true });
  });
});
