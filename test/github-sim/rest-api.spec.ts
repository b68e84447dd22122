import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AcmeFixture } from './acme-fixture.js';

let acme: AcmeFixture;

beforeEach(async () => {
  acme = await AcmeFixture.start();
});
afterEach(async () => {
  await acme.observed.sim.stop();
  expect(acme.observed.violations).toEqual([]);
});

describe('the REST API', () => {
  it('writes a commit through the git data API and opens a pull request from it', async () => {
    const token = await acme.installationToken({ repository_ids: [acme.repository.id] });
    const base = `/repos/acme/payments`;
    const head = acme.repository.git.branchHead('main') ?? '';
    const blob = await acme.request(token, 'POST', `${base}/git/blobs`, { content: 'evidence', encoding: 'utf-8' });
    const entry = { path: '.releases/v1.0.0/EVIDENCE.md', mode: '100644', type: 'blob', sha: blob.body['sha'] };
    const tree = await acme.request(token, 'POST', `${base}/git/trees`, { base_tree: head, tree: [entry] });
    const commit = await acme.request(token, 'POST', `${base}/git/commits`, {
      message: 'Evidence',
      tree: tree.body['sha'],
      parents: [head],
    });
    expect(commit.status).toBe(201);
    const ref = { ref: 'refs/heads/shipgate/evidence/v1.0.0', sha: commit.body['sha'] };
    expect((await acme.request(token, 'POST', `${base}/git/refs`, ref)).status).toBe(201);
    expect((await acme.request(token, 'POST', `${base}/git/refs`, ref)).status).toBe(422);
    const pull = await acme.request(token, 'POST', `${base}/pulls`, {
      title: 'Evidence',
      head: 'shipgate/evidence/v1.0.0',
      base: 'main',
      body: 'Look',
    });
    expect(pull.body).toMatchObject({ number: 1, user: { login: 'ship-gate[bot]' }, changed_files: 1 });
    const listed = await acme.request(token, 'GET', `${base}/pulls?head=acme:shipgate/evidence/v1.0.0&state=all`);
    expect(listed.body).toHaveLength(1);
    const refs = await acme.request(token, 'GET', `${base}/git/matching-refs/heads%2Fshipgate%2F`);
    expect(refs.body).toMatchObject([{ ref: ref.ref, object: { sha: ref.sha } }]);
    const compared = await acme.request(token, 'GET', `${base}/compare/main...shipgate%2Fevidence%2Fv1.0.0`);
    expect(compared.body).toMatchObject({ status: 'ahead', ahead_by: 1, files: [{ status: 'added' }] });
    const sideways = await acme.request(token, 'PATCH', `${base}/git/refs/heads/shipgate/evidence/v1.0.0`, {
      sha: head,
    });
    expect(sideways.status).toBe(422);
    const team = acme.organization.createTeam('Release Managers', [acme.reviewer]);
    team.grant(acme.repository, 'write');
    const requested = await acme.request(token, 'POST', `${base}/pulls/1/requested_reviewers`, {
      team_reviewers: [team.slug],
    });
    expect(requested.body).toMatchObject({ requested_teams: [{ slug: 'release-managers' }] });
    const members = await acme.request(
      await acme.installationToken(),
      'GET',
      '/orgs/acme/teams/release-managers/members',
    );
    expect(members.body).toMatchObject([{ id: acme.reviewer.id }]);
  });

  it('reads and writes plans, checks, statuses and deployments', async () => {
    const token = await acme.installationToken();
    const base = '/repos/acme/payments';
    const head = acme.repository.git.branchHead('main') ?? '';
    const milestone = await acme.request(token, 'POST', `${base}/milestones`, {
      title: 'v1.0.0',
      due_on: '2030-01-01T00:00:00Z',
    });
    expect(milestone.status).toBe(201);
    await acme.request(token, 'POST', `${base}/issues`, {
      title: 'One',
      milestone: 1,
      labels: ['bug'],
      assignees: ['ada'],
    });
    acme.repository.commit({ branch: 'fix', files: { fix: 'f' }, author: acme.author });
    acme.repository.pulls.open({ head: 'fix', title: 'Fix', body: 'Closes #1', author: acme.author });
    const issues = await acme.request(token, 'GET', `${base}/issues?milestone=1&state=all`);
    expect(issues.body).toMatchObject([{ number: 1, assignees: [{ login: 'ada' }], labels: [{ name: 'bug' }] }]);
    const assignees = await acme.request(token, 'GET', `${base}/assignees`);
    expect(assignees.body).toContainEqual(expect.objectContaining({ login: 'ada' }));
    const timeline = await acme.request(token, 'GET', `${base}/issues/1/timeline`);
    expect(timeline.body).toMatchObject([
      { event: 'cross-referenced', source: { issue: { number: 2, pull_request: {} } } },
    ]);
    await acme.request(token, 'PATCH', `${base}/issues/1`, { state: 'closed' });
    await acme.request(token, 'PATCH', `${base}/milestones/1`, { state: 'closed' });
    expect((await acme.request(token, 'GET', `${base}/milestones?state=open`)).body).toEqual([]);
    const run = { name: 'build', head_sha: head, status: 'completed', conclusion: 'success' };
    expect((await acme.request(token, 'POST', `${base}/check-runs`, { ...run, conclusion: 'failure' })).status).toBe(
      201,
    );
    expect((await acme.request(token, 'POST', `${base}/check-runs`, run)).status).toBe(201);
    const runs = await acme.request(token, 'GET', `${base}/commits/${head}/check-runs?filter=latest`);
    expect(runs.body).toMatchObject({
      total_count: 1,
      check_runs: [{ conclusion: 'success', app: { slug: 'ship-gate' } }],
    });
    await acme.request(token, 'POST', `${base}/statuses/${head}`, { state: 'success', context: 'ci/lint' });
    expect((await acme.request(token, 'GET', `${base}/commits/main/status`)).body).toMatchObject({
      state: 'success',
      total_count: 1,
    });
    const deployment = await acme.request(token, 'POST', `${base}/deployments`, { ref: 'main', required_contexts: [] });
    const statuses = `${base}/deployments/${String(deployment.body['id'])}/statuses`;
    expect((await acme.request(token, 'POST', statuses, { state: 'success' })).status).toBe(201);
    expect((await acme.request(token, 'GET', statuses)).body).toMatchObject([{ state: 'success' }]);
    expect((await acme.request(token, 'GET', `${base}/deployments?environment=production`)).body).toMatchObject([
      { sha: head },
    ]);
    const permission = await acme.request(token, 'GET', `${base}/collaborators/ada/permission`);
    expect(permission.body).toMatchObject({ permission: 'write', role_name: 'write', user: { id: acme.author.id } });
    expect(
      (await acme.request(token, 'POST', `${base}/dispatches`, { event_type: 'go', client_payload: { a: 1 } })).status,
    ).toBe(204);
    const content = await acme.request(token, 'GET', `${base}/contents/README.md`);
    expect(Buffer.from(String(content.body['content']), 'base64').toString()).toBe('# Payments\n');
    const ruleset = { name: 'Guard', enforcement: 'active', target: 'branch', rules: [{ type: 'deletion' }] };
    expect((await acme.request(token, 'POST', `${base}/rulesets`, ruleset)).status).toBe(201);
    expect((await acme.request(token, 'GET', `${base}/commits?per_page=1`)).body).toMatchObject([{ sha: head }]);
    expect((await acme.request(token, 'GET', `${base}/git/trees/${head}?recursive=1`)).body).toMatchObject({
      truncated: false,
    });
    const received = ['milestone.created', 'milestone.closed', 'issues.opened', 'issues.milestoned', 'issues.closed'];
    const laterEvents = ['check_run.completed', 'deployment.created', 'deployment_status.created', 'status.', 'push.'];
    expect(acme.events()).toEqual(expect.arrayContaining([...received, ...laterEvents]));
  });

  it('has pages with links, and answers unchanged requests without using the rate limit', async () => {
    const token = await acme.installationToken();
    for (const title of ['v1.0.0', 'v1.1.0', 'v1.2.0']) acme.repository.milestones.create({ title });
    const path = '/repos/acme/payments/milestones?per_page=2';
    const first = await acme.request(token, 'GET', path);
    expect(first.body).toHaveLength(2);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect((await acme.request(token, 'GET', next)).body).toHaveLength(1);
    const known = { 'if-none-match': first.headers.get('etag') ?? '' };
    const remaining = async () => (await acme.request(token, 'GET', '/rate_limit')).body['rate'];
    const before = await remaining();
    expect((await acme.request(token, 'GET', path, undefined, known)).status).toBe(304);
    expect(await remaining()).toEqual(before);
    acme.repository.milestones.create({ title: 'v1.3.0' });
    acme.repository.milestones.edit(
      acme.repository.milestones.list()[0] ?? acme.repository.milestones.create({ title: 'x' }),
      {
        title: 'v1.0.1',
      },
    );
    expect((await acme.request(token, 'GET', path, undefined, known)).status).toBe(200);
  });

  it('returns 400 for a body that is not JSON', async () => {
    const response = await fetch(`${acme.observed.sim.apiUrl}/repos/acme/payments/milestones`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${acme.author.token}` },
      body: '{"title":',
    });
    expect([response.status, await response.json()]).toEqual([400, { message: 'Problems parsing JSON' }]);
  });

  it('fails on demand, and only as often as planned', async () => {
    const token = await acme.installationToken();
    const { faults } = acme.observed.sim;
    faults.next({ kind: '5xx', match: /GET \/repos/ });
    expect((await acme.request(token, 'GET', '/repos/acme/payments')).status).toBe(502);
    faults.next({ kind: 'drop' });
    await expect(acme.request(token, 'GET', '/repos/acme/payments')).rejects.toThrow(/terminated|fetch failed/);
    faults.next({ kind: 'truncate' });
    await expect(acme.request(token, 'GET', '/repos/acme/payments')).rejects.toThrow(/terminated|fetch failed/);
    faults.next({ kind: 'secondary-limit', retryAfterS: 7 });
    const limited = await acme.request(token, 'GET', '/repos/acme/payments');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([403, '7']);
    faults.next({ kind: 'drop', afterWork: true });
    await expect(acme.request(token, 'POST', '/repos/acme/payments/milestones', { title: 'v9.0.0' })).rejects.toThrow(
      /terminated|fetch failed/,
    );
    expect(acme.repository.milestones.findByTitle('v9.0.0')).not.toBeNull();
    faults.next({ kind: 'reorder', match: /milestones/ });
    const order: string[] = [];
    const held = acme.request(token, 'GET', '/repos/acme/payments/milestones').then(() => order.push('held'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await acme.request(token, 'GET', '/repos/acme/payments').then(() => order.push('later'));
    await held;
    expect(order).toEqual(['later', 'held']);
    faults.next({ kind: 'primary-limit' });
    await acme.request(token, 'GET', '/repos/acme/payments');
    const exhausted = await acme.request(token, 'GET', '/repos/acme/payments');
    expect([exhausted.status, exhausted.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
  });
});
