import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

/** The evidence of unit tests in staging, which the default requires. */
const DEFAULT = `version: v1
stages:
  planning: { require_issues: true }
  testing: { required_checks: [build] }
  evidencing: { required_evidence: [{ kind: unit_tests, environment: staging }] }
  deployment: { requires_evidence_approval: true, target: production }
`;

describe('the default of an organization', () => {
  let env: TestEnvironment;
  let admin: UserSession;
  let defaults: RepositoryScenario;

  beforeAll(async () => {
    env = await TestEnvironment.start();
    defaults = new RepositoryScenario(env, { name: '.github', sdlc: 'version: v1\n' });
    await env.install();
    const user = env.github.createUser({ login: 'ada' });
    admin = await signIn(env, user, { role: 'admin' });
    await env.waitUntilIdle();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  /** Creates a repository under the default. */
  async function given(name: string, sdlc: string, organizationDefault = DEFAULT): Promise<RepositoryScenario> {
    defaults.repository.commit({ files: { 'sdlc.yaml': organizationDefault } });
    await env.waitUntilIdle();
    const repo = new RepositoryScenario(env, { name, sdlc, private: false });
    await env.waitUntilIdle();
    return repo;
  }

  it('does not make its repository a managed one', async () => {
    const rows = await env.asSuperuser(`select managed_at from repository where name = '.github'`);
    expect(rows).toEqual([{ managed_at: null }]);
    expect((await admin.get('/api/billing')).body).toMatchObject({ managedRepositories: { used: 0 } });
  });

  it('keeps its planning rules for a repository that calls every release a hotfix', async () => {
    const repo = await given('hotfixes', 'version: v1\nhotfix: { branch_pattern: "release/**" }\n');
    repo.milestone('v1.0.1');
    repo.commit({ branch: 'release/v1.0.1' });
    await env.waitUntilIdle();
    const answer = await repo.gate('v1.0.1');
    expect(answer).toMatchObject({ current_stage: 'PLANNING', can_deploy: false });
    expect(answer.reasons).toEqual([expect.objectContaining({ code: 'scope_empty', source: 'organization' })]);
  });

  it('needs an approval by another user than the author, also if the repository requires none', async () => {
    const bare = 'version: v1\n';
    const none = 'version: v1\nstages: { evidencing: { required_reviewers: { min_approvals: 0 } } }\n';
    const repo = await given('merged', none, bare);
    const author = repo.createCollaborator('author-of-merged');
    repo.milestone('v1.0.0');
    const sha = repo.commit({ author });
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);

    repo.repository.pulls.merge(repo.evidencePull('v1.0.0'), { by: author });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'EVIDENCING', can_deploy: false });

    repo.approve('v1.0.0', author);
    await env.waitUntilIdle();
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ current_stage: 'EVIDENCING', can_deploy: false });
    expect(answer.reasons).toContainEqual(
      expect.objectContaining({ code: 'approvals_missing', source: 'organization' }),
    );

    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('keeps its evidence and checks beside those of the repository, and the policy names the sources', async () => {
    const own = `version: v1
stages:
  testing: { required_checks: [{ name: build, app: jenkins }] }
  evidencing: { required_evidence: [{ kind: unit_tests, environment: ci }] }
`;
    const repo = await given('narrower', own, DEFAULT.replace('  planning: { require_issues: true }\n', ''));
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ current_stage: 'TESTING', can_deploy: false });
    expect(answer.reasons?.map(({ code, source }) => [code, source])).toEqual([
      ['check_missing', 'organization'],
      ['check_missing', 'repository'],
      ['evidence_missing', 'organization'],
    ]);

    const [release] = (await admin.get(`/api/milestones/${repo.repository.fullName}`)).body['milestones'] as readonly {
      readonly milestoneId: string;
    }[];
    const { policy } = (await admin.get(`/api/milestones/${release?.milestoneId ?? ''}`)).body as {
      readonly policy: { readonly rules: unknown; readonly organizationKeys: readonly string[] };
    };
    expect(policy.rules).toMatchObject({
      testing: {
        requiredChecks: [
          { name: 'build', app: null, source: 'organization' },
          { name: 'build', app: 'jenkins', source: 'repository' },
        ],
      },
      evidencing: { requiredReviewers: [{ minApprovals: 1, source: 'organization' }] },
    });
    expect(policy.organizationKeys).toContain('stages.deployment.target');
  });

  it('has an audit entry for each change, with its digests and its committer', async () => {
    const { founder } = env.organization;
    const changes = await env.asSuperuser<{ readonly data: Readonly<Record<string, unknown>> }>(
      `select data from audit_entry where action = 'policy_default.changed' and subject = 'acme/.github' order by sequence`,
    );
    expect(changes.length).toBeGreaterThanOrEqual(3);
    expect(changes[0]?.data).toMatchObject({ before: null });
    for (const [index, { data }] of changes.entries()) {
      expect(data).toEqual({
        before: index === 0 ? null : changes[index - 1]?.data['after'],
        after: expect.stringMatching(/^[0-9a-f]{64}$/),
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        committer: { id: founder.id, login: founder.login },
      });
    }
    const before = changes.length;
    defaults.commit();
    await env.waitUntilIdle();
    const after = await env.asSuperuser(`select from audit_entry where action = 'policy_default.changed'`);
    expect(after).toHaveLength(before);
  });

  it('has one when it is removed', async () => {
    defaults.repository.rename('former-defaults');
    await env.waitUntilIdle();
    const [last] = await env.asSuperuser<{ readonly data: Readonly<Record<string, unknown>> }>(
      `select data from audit_entry where action = 'policy_default.changed' order by sequence desc limit 1`,
    );
    expect(last?.data).toMatchObject({ after: null, commit: null, committer: null });
  });
});
