import { createHash, createSign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startObservedSim, type ObservedSim } from './observed-sim.js';
import type { App } from './state/app.js';
import type { Installation } from './state/installation.js';
import type { Organization } from './state/organization.js';
import type { Repository } from './state/repository.js';
import type { User } from './state/user.js';

let observed: ObservedSim;
let organization: Organization;
let app: App;
let installation: Installation;
let repository: Repository;
let author: User;
let reviewer: User;

beforeEach(async () => {
  observed = await startObservedSim();
  const { sim } = observed;
  organization = sim.createOrganization({ login: 'acme' });
  [author, reviewer] = [sim.createUser({ login: 'ada' }), sim.createUser({ login: 'rob' })];
  app = sim.registerApp({ name: 'Ship Gate', owner: organization, webhookUrl: 'http://127.0.0.1:9/hooks' });
  installation = sim.installApp(app, organization);
  repository = sim.createRepository(organization, { name: 'payments', files: { 'README.md': '# Payments\n' } });
  for (const user of [author, reviewer]) {
    organization.addMember(user);
    repository.setCollaborator(user, 'write');
  }
});
afterEach(async () => {
  await observed.sim.stop();
  expect(observed.violations).toEqual([]);
});

function appToken(claims: object = {}, alg = 'RS256'): string {
  const now = Math.floor(Date.now() / 1000);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg, typ: 'JWT' })}.${encode({ iat: now - 60, exp: now + 540, iss: app.clientId, ...claims })}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(app.privateKey, 'base64url')}`;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // The shape is GitHub's own, and held against its description on the way.
  readonly body: Record<string, never> & Record<string, unknown>;
}

async function call(token: string | null, method: string, path: string, body?: object, headers = {}): Promise<Reply> {
  const response = await fetch(path.startsWith('http') ? path : `${observed.sim.apiUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      accept: 'application/vnd.github+json',
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

async function installationToken(narrowed: object = {}): Promise<string> {
  const answer = await call(appToken(), 'POST', `/app/installations/${installation.id}/access_tokens`, narrowed);
  expect(answer.status).toBe(201);
  return String(answer.body['token']);
}

const events = () =>
  observed.hooks.map(({ event, payload }) => `${event}.${'action' in payload ? payload.action : ''}`);

describe('who may call', () => {
  it.each([
    ['a token of another algorithm', () => appToken({}, 'HS256')],
    ['one that lives too long', () => appToken({ exp: Math.floor(Date.now() / 1000) + 700 })],
    ['one that expired', () => appToken({ exp: Math.floor(Date.now() / 1000) - 1 })],
    ['one from the future', () => appToken({ iat: Math.floor(Date.now() / 1000) + 120 })],
    ['one with a changed signature', () => `${appToken().slice(0, -8)}AAAAAAAA`],
    ['an unknown token', () => 'ghs_unknown'],
  ])('answers 401 to %s', async (_, token) => {
    expect((await call(token(), 'GET', '/app')).status).toBe(401);
  });

  it('knows the app by its id and by its client id', async () => {
    expect((await call(appToken(), 'GET', '/app')).body['slug']).toBe('ship-gate');
    expect((await call(appToken({ iss: String(app.id) }), 'GET', '/app')).status).toBe(200);
    expect((await call(appToken(), 'GET', `/orgs/acme/installation`)).body['id']).toBe(installation.id);
    expect((await call(appToken(), 'GET', `/app/installations`)).status).toBe(200);
  });

  it('hides a private repository from whoever may not see it, and a pinned token sees only its own', async () => {
    const other = organization.createRepository({ name: 'other' });
    const pinned = await installationToken({ repository_ids: [other.id] });
    expect((await call(pinned, 'GET', '/repos/acme/other')).status).toBe(200);
    expect((await call(pinned, 'GET', '/repos/acme/payments')).status).toBe(404);
    expect((await call(null, 'GET', '/repos/acme/payments')).status).toBe(404);
    expect((await call(observed.sim.createUser({ login: 'eve' }).token, 'GET', '/repos/acme/payments')).status).toBe(
      404,
    );
    expect((await call(pinned, 'GET', '/installation/repositories')).body['total_count']).toBe(1);
  });

  it('refuses what the token lacks a permission for, and to widen one', async () => {
    const reader = await installationToken({ permissions: { contents: 'read', issues: 'read' } });
    expect((await call(reader, 'GET', '/repos/acme/payments/milestones')).status).toBe(200);
    expect((await call(reader, 'POST', '/repos/acme/payments/milestones', { title: 'v1.0.0' })).status).toBe(403);
    expect((await call(reader, 'GET', '/repos/acme/payments/deployments')).status).toBe(403);
    const wider = { permissions: { organization_secrets: 'write' } };
    const refused = await call(appToken(), 'POST', `/app/installations/${installation.id}/access_tokens`, wider);
    expect(refused.status).toBe(422);
  });

  it('never takes a recreated repository for the old one', async () => {
    const pinned = await installationToken({ repository_ids: [repository.id] });
    repository.delete();
    const successor = organization.createRepository({ name: 'payments' });
    expect(successor.id).not.toBe(repository.id);
    expect((await call(pinned, 'GET', '/repos/acme/payments')).status).toBe(404);
  });

  it('leads from a former name to the repository, by its id', async () => {
    const token = await installationToken();
    repository.rename('billing');
    const moved = await call(token, 'GET', '/repos/acme/payments/milestones?state=all');
    expect(moved.status).toBe(301);
    const location = moved.headers.get('location') ?? '';
    expect(location).toBe(`${observed.sim.apiUrl}/repositories/${repository.id}/milestones?state=all`);
    expect((await call(token, 'GET', location)).status).toBe(200);
  });

  it('revokes tokens with the installation, and refuses them while it is suspended', async () => {
    const token = await installationToken();
    installation.suspend();
    expect((await call(token, 'GET', '/repos/acme/payments')).status).toBe(403);
    installation.unsuspend();
    expect((await call(token, 'GET', '/repos/acme/payments')).status).toBe(200);
    installation.delete();
    expect((await call(token, 'GET', '/repos/acme/payments')).status).toBe(401);
    expect(events()).toEqual(expect.arrayContaining(['installation.suspend', 'installation.deleted']));
  });
});

describe('a pull request', () => {
  const openPull = () => {
    repository.commit({ branch: 'feature', files: { 'a.txt': 'a\n' }, author });
    return repository.pulls.open({ head: 'feature', title: 'Add a', body: 'For #1', author });
  };

  it('follows its branch: a push moves the head, tells of it, and leaves the review at its commit', async () => {
    const pull = openPull();
    const token = await installationToken();
    const before = pull.headSha;
    const path = `/repos/acme/payments/pulls/${pull.number}`;
    expect((await call(reviewer.token, 'POST', `${path}/reviews`, { event: 'APPROVE' })).status).toBe(200);
    const after = repository.commit({ branch: 'feature', files: { 'b.txt': 'b\n' }, author });
    expect((await call(token, 'GET', path)).body).toMatchObject({ head: { sha: after }, commits: 2, changed_files: 2 });
    const reviews = await call(token, 'GET', `${path}/reviews`);
    expect(reviews.body).toMatchObject([{ state: 'APPROVED', commit_id: before, user: { id: reviewer.id } }]);
    const told = observed.hooks.find(({ payload }) => 'action' in payload && payload.action === 'synchronize');
    expect(told?.payload).toMatchObject({ before, after, pull_request: { head: { sha: after } } });
  });

  it('is never approved by its own author', async () => {
    const pull = openPull();
    const path = `/repos/acme/payments/pulls/${pull.number}/reviews`;
    expect((await call(author.token, 'POST', path, { event: 'APPROVE' })).status).toBe(422);
    expect(pull.reviews).toEqual([]);
  });

  it('keeps a dismissed review, as dismissed', async () => {
    const pull = openPull();
    const review = repository.pulls.reviews.submit(pull, { by: reviewer, state: 'APPROVED' });
    const path = `/repos/acme/payments/pulls/${pull.number}/reviews`;
    const dismissal = await call(author.token, 'PUT', `${path}/${review.id}/dismissals`, { message: 'stale' });
    expect(dismissal.body).toMatchObject({ state: 'DISMISSED' });
    expect(events()).toEqual(
      expect.arrayContaining(['pull_request_review.submitted', 'pull_request_review.dismissed']),
    );
  });

  it.each([
    ['merge', 2, 'Merge pull request #1 from acme/feature'],
    ['squash', 1, 'Add a (#1)'],
    ['rebase', 1, 'Update files'],
  ])('merges by %s', async (method, parents, subject) => {
    const pull = openPull();
    repository.commit({ files: { 'README.md': '# Changed\n' }, author: reviewer });
    const path = `/repos/acme/payments/pulls/${pull.number}/merge`;
    const merged = await call(reviewer.token, 'PUT', path, { merge_method: method, sha: pull.headSha });
    expect(merged.status).toBe(200);
    const head = repository.git.branchHead('main') ?? '';
    expect(merged.body['sha']).toBe(head);
    const commit = repository.git.store.commit(head);
    expect(commit.parents).toHaveLength(parents);
    expect(commit.message.split('\n')[0]).toBe(subject);
    expect([...repository.git.filesAt(head).keys()]).toEqual(['README.md', 'a.txt']);
    expect(pull.mergeCommitSha).toBe(head);
    expect(events()).toContain('pull_request.closed');
  });

  it('is not merged where both sides changed one line, where the head moved, or twice', async () => {
    repository.commit({ branch: 'feature', files: { 'README.md': '# Theirs\n' }, author });
    const pull = repository.pulls.open({ head: 'feature', title: 'Change', author });
    const path = `/repos/acme/payments/pulls/${pull.number}/merge`;
    expect((await call(reviewer.token, 'PUT', path, { sha: '0'.repeat(40) })).status).toBe(409);
    repository.commit({ files: { 'README.md': '# Ours\n' } });
    expect((await call(reviewer.token, 'PUT', path, {})).status).toBe(405);
    repository.commit({ branch: 'feature', files: { 'README.md': '# Payments\n' }, author });
    expect((await call(reviewer.token, 'PUT', path, {})).status).toBe(200);
    expect((await call(reviewer.token, 'PUT', path, {})).status).toBe(405);
  });

  it('is merged by a push that brings its head into the base, and closed with its branch', () => {
    const merged = openPull();
    repository.setBranch('main', merged.headSha);
    expect(merged.mergedAt).not.toBeNull();
    repository.commit({ branch: 'second', files: { c: 'c' } });
    const closed = repository.pulls.open({ head: 'second', title: 'Second' });
    repository.deleteBranch('second');
    expect(closed.issue.state).toBe('closed');
    expect(closed.mergedAt).toBeNull();
  });
});

describe('the REST API', () => {
  it('writes a commit through the git data API and opens a pull request of it', async () => {
    const token = await installationToken({ repository_ids: [repository.id] });
    const base = `/repos/acme/payments`;
    const head = repository.git.branchHead('main') ?? '';
    const blob = await call(token, 'POST', `${base}/git/blobs`, { content: 'evidence', encoding: 'utf-8' });
    const entry = { path: '.releases/v1.0.0/EVIDENCE.md', mode: '100644', type: 'blob', sha: blob.body['sha'] };
    const tree = await call(token, 'POST', `${base}/git/trees`, { base_tree: head, tree: [entry] });
    const commit = await call(token, 'POST', `${base}/git/commits`, {
      ...{ message: 'Evidence', tree: tree.body['sha'], parents: [head] },
    });
    expect(commit.status).toBe(201);
    const ref = { ref: 'refs/heads/shipgate/evidence/v1.0.0', sha: commit.body['sha'] };
    expect((await call(token, 'POST', `${base}/git/refs`, ref)).status).toBe(201);
    expect((await call(token, 'POST', `${base}/git/refs`, ref)).status).toBe(422);
    const pull = await call(token, 'POST', `${base}/pulls`, {
      ...{ title: 'Evidence', head: 'shipgate/evidence/v1.0.0', base: 'main', body: 'Look' },
    });
    expect(pull.body).toMatchObject({ number: 1, user: { login: 'ship-gate[bot]' }, changed_files: 1 });
    const listed = await call(token, 'GET', `${base}/pulls?head=acme:shipgate/evidence/v1.0.0&state=all`);
    expect(listed.body).toHaveLength(1);
    const refs = await call(token, 'GET', `${base}/git/matching-refs/heads%2Fshipgate%2F`);
    expect(refs.body).toMatchObject([{ ref: ref.ref, object: { sha: ref.sha } }]);
    const compared = await call(token, 'GET', `${base}/compare/main...shipgate%2Fevidence%2Fv1.0.0`);
    expect(compared.body).toMatchObject({ status: 'ahead', ahead_by: 1, files: [{ status: 'added' }] });
    const sideways = await call(token, 'PATCH', `${base}/git/refs/heads/shipgate/evidence/v1.0.0`, { sha: head });
    expect(sideways.status).toBe(422);
    const team = organization.createTeam('Release Managers', [reviewer]);
    team.grant(repository, 'write');
    const asked = await call(token, 'POST', `${base}/pulls/1/requested_reviewers`, { team_reviewers: [team.slug] });
    expect(asked.body).toMatchObject({ requested_teams: [{ slug: 'release-managers' }] });
    const members = await call(await installationToken(), 'GET', '/orgs/acme/teams/release-managers/members');
    expect(members.body).toMatchObject([{ id: reviewer.id }]);
  });

  it('reads and writes plans, checks, statuses and deployments', async () => {
    const token = await installationToken();
    const base = '/repos/acme/payments';
    const head = repository.git.branchHead('main') ?? '';
    const milestone = await call(token, 'POST', `${base}/milestones`, {
      title: 'v1.0.0',
      due_on: '2030-01-01T00:00:00Z',
    });
    expect(milestone.status).toBe(201);
    await call(token, 'POST', `${base}/issues`, { title: 'One', milestone: 1, labels: ['bug'], assignees: ['ada'] });
    repository.commit({ branch: 'fix', files: { fix: 'f' }, author });
    repository.pulls.open({ head: 'fix', title: 'Fix', body: 'Closes #1', author });
    const issues = await call(token, 'GET', `${base}/issues?milestone=1&state=all`);
    expect(issues.body).toMatchObject([{ number: 1, assignees: [{ login: 'ada' }], labels: [{ name: 'bug' }] }]);
    const timeline = await call(token, 'GET', `${base}/issues/1/timeline`);
    expect(timeline.body).toMatchObject([
      { event: 'cross-referenced', source: { issue: { number: 2, pull_request: {} } } },
    ]);
    await call(token, 'PATCH', `${base}/issues/1`, { state: 'closed' });
    await call(token, 'PATCH', `${base}/milestones/1`, { state: 'closed' });
    expect((await call(token, 'GET', `${base}/milestones?state=open`)).body).toEqual([]);
    const run = { name: 'build', head_sha: head, status: 'completed', conclusion: 'success' };
    expect((await call(token, 'POST', `${base}/check-runs`, { ...run, conclusion: 'failure' })).status).toBe(201);
    expect((await call(token, 'POST', `${base}/check-runs`, run)).status).toBe(201);
    const runs = await call(token, 'GET', `${base}/commits/${head}/check-runs?filter=latest`);
    expect(runs.body).toMatchObject({
      total_count: 1,
      check_runs: [{ conclusion: 'success', app: { slug: 'ship-gate' } }],
    });
    await call(token, 'POST', `${base}/statuses/${head}`, { state: 'success', context: 'ci/lint' });
    expect((await call(token, 'GET', `${base}/commits/main/status`)).body).toMatchObject({
      state: 'success',
      total_count: 1,
    });
    const deployment = await call(token, 'POST', `${base}/deployments`, { ref: 'main', required_contexts: [] });
    const statuses = `${base}/deployments/${String(deployment.body['id'])}/statuses`;
    expect((await call(token, 'POST', statuses, { state: 'success' })).status).toBe(201);
    expect((await call(token, 'GET', statuses)).body).toMatchObject([{ state: 'success' }]);
    expect((await call(token, 'GET', `${base}/deployments?environment=production`)).body).toMatchObject([
      { sha: head },
    ]);
    const permission = await call(token, 'GET', `${base}/collaborators/ada/permission`);
    expect(permission.body).toMatchObject({ permission: 'write', role_name: 'write', user: { id: author.id } });
    expect(
      (await call(token, 'POST', `${base}/dispatches`, { event_type: 'go', client_payload: { a: 1 } })).status,
    ).toBe(204);
    const content = await call(token, 'GET', `${base}/contents/README.md`);
    expect(Buffer.from(String(content.body['content']), 'base64').toString()).toBe('# Payments\n');
    const ruleset = { name: 'Guard', enforcement: 'active', target: 'branch', rules: [{ type: 'deletion' }] };
    expect((await call(token, 'POST', `${base}/rulesets`, ruleset)).status).toBe(201);
    expect((await call(token, 'GET', `${base}/commits?per_page=1`)).body).toMatchObject([{ sha: head }]);
    expect((await call(token, 'GET', `${base}/git/trees/${head}?recursive=1`)).body).toMatchObject({
      truncated: false,
    });
    const told = ['milestone.created', 'milestone.closed', 'issues.opened', 'issues.milestoned', 'issues.closed'];
    const alsoTold = ['check_run.completed', 'deployment.created', 'deployment_status.created', 'status.', 'push.'];
    expect(events()).toEqual(expect.arrayContaining([...told, ...alsoTold]));
  });

  it('pages with links, and renews what did not change without spending', async () => {
    const token = await installationToken();
    for (const title of ['v1.0.0', 'v1.1.0', 'v1.2.0']) repository.milestones.create({ title });
    const path = '/repos/acme/payments/milestones?per_page=2';
    const first = await call(token, 'GET', path);
    expect(first.body).toHaveLength(2);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect((await call(token, 'GET', next)).body).toHaveLength(1);
    const known = { 'if-none-match': first.headers.get('etag') ?? '' };
    const remaining = async () => (await call(token, 'GET', '/rate_limit')).body['rate'];
    const before = await remaining();
    expect((await call(token, 'GET', path, undefined, known)).status).toBe(304);
    expect(await remaining()).toEqual(before);
    repository.milestones.create({ title: 'v1.3.0' });
    repository.milestones.edit(repository.milestones.list()[0] ?? repository.milestones.create({ title: 'x' }), {
      title: 'v1.0.1',
    });
    expect((await call(token, 'GET', path, undefined, known)).status).toBe(200);
  });

  it('goes wrong on demand, and only so often', async () => {
    const token = await installationToken();
    const { faults } = observed.sim;
    faults.next({ kind: '5xx', match: /GET \/repos/ });
    expect((await call(token, 'GET', '/repos/acme/payments')).status).toBe(502);
    faults.next({ kind: 'drop' });
    await expect(call(token, 'GET', '/repos/acme/payments')).rejects.toThrow();
    faults.next({ kind: 'truncate' });
    await expect(call(token, 'GET', '/repos/acme/payments')).rejects.toThrow();
    faults.next({ kind: 'secondary-limit', retryAfterS: 7 });
    const limited = await call(token, 'GET', '/repos/acme/payments');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([403, '7']);
    faults.next({ kind: 'drop', afterWork: true });
    await expect(call(token, 'POST', '/repos/acme/payments/milestones', { title: 'v9.0.0' })).rejects.toThrow();
    expect(repository.milestones.findByTitle('v9.0.0')).not.toBeNull();
    faults.next({ kind: 'reorder', match: /milestones/ });
    const order: string[] = [];
    const held = call(token, 'GET', '/repos/acme/payments/milestones').then(() => order.push('held'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await call(token, 'GET', '/repos/acme/payments').then(() => order.push('later'));
    await held;
    expect(order).toEqual(['later', 'held']);
    faults.next({ kind: 'primary-limit' });
    await call(token, 'GET', '/repos/acme/payments');
    const exhausted = await call(token, 'GET', '/repos/acme/payments');
    expect([exhausted.status, exhausted.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
  });
});

describe('people and their accounts', () => {
  it('tells of members, teams and renames', async () => {
    const team = organization.createTeam('Ops', [reviewer]);
    team.rename('Operations');
    team.removeMember(reviewer);
    team.delete();
    repository.setCollaborator(author, 'admin');
    repository.removeCollaborator(author);
    repository.changeVisibility('public');
    repository.archive();
    organization.removeMember(author);
    organization.rename('acme-inc');
    installation.removeRepositories([repository]);
    organization.delete();
    expect(events()).toEqual(
      expect.arrayContaining(
        [
          'team.created',
          'team.edited',
          'team.deleted',
          'membership.added',
          'membership.removed',
          'member.edited',
        ].concat(
          ['member.removed', 'organization.member_removed', 'organization.renamed', 'installation_target.renamed'],
          ['repository.publicized', 'repository.archived', 'repository.deleted', 'organization.deleted'],
        ),
      ),
    );
  });

  it('makes another account of a recreated login: its commits, tokens and memberships are not the old ones', async () => {
    const token = author.token;
    const sha = repository.commit({ files: { x: 'x' }, author });
    author.delete();
    const successor = observed.sim.createUser({ login: 'ada' });
    expect(successor.id).not.toBe(author.id);
    expect((await call(token, 'GET', '/user')).status).toBe(401);
    const commit = await call(await installationToken(), 'GET', `/repos/acme/payments/commits/${sha}`);
    expect(commit.body).toMatchObject({ author: null, commit: { author: { name: 'ada' } } });
    expect(repository.roleOf(successor)).toBe('none');
  });

  it('signs a person in by the web flow, with PKCE, once for each code', async () => {
    const own = observed.sim.registerApp({
      name: 'Own',
      owner: organization,
      callbackUrls: ['http://127.0.0.1:9/callback'],
    });
    const verifier = 'v'.repeat(43);
    const query = new URLSearchParams({
      ...{ client_id: own.clientId, redirect_uri: 'http://127.0.0.1:9/callback', state: 's', login: 'rob' },
      ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    });
    const authorize = async () => {
      const response = await fetch(`${observed.sim.url}/login/oauth/authorize?${query}`, { redirect: 'manual' });
      const target = new URL(response.headers.get('location') ?? '');
      expect(target.searchParams.get('state')).toBe('s');
      return target.searchParams.get('code') ?? '';
    };
    const exchange = async (fields: Record<string, string>) => {
      const credentials = { client_id: own.clientId, client_secret: own.clientSecret };
      return (
        await call(
          null,
          'POST',
          '/login/oauth/access_token',
          { ...credentials, ...fields },
          { accept: 'application/json' },
        )
      ).body;
    };
    expect(await exchange({ code: await authorize(), code_verifier: 'wrong' })).toMatchObject({
      error: 'bad_verification_code',
    });
    const code = await authorize();
    const granted = await exchange({ code, code_verifier: verifier });
    expect(await exchange({ code, code_verifier: verifier })).toMatchObject({ error: 'bad_verification_code' });
    expect((await call(String(granted['access_token']), 'GET', '/user')).body).toMatchObject({
      login: 'rob',
      id: reviewer.id,
    });
    expect((await call(String(granted['access_token']), 'GET', '/user/memberships/orgs')).body).toMatchObject([
      { role: 'member' },
    ]);
    const renewed = await exchange({ grant_type: 'refresh_token', refresh_token: String(granted['refresh_token']) });
    expect((await call(String(granted['access_token']), 'GET', '/user')).status).toBe(401);
    expect((await call(String(renewed['access_token']), 'GET', '/user/orgs')).status).toBe(200);
  });

  it('makes an app of a manifest, once for each code', async () => {
    const manifest = {
      ...{ name: 'Made', url: 'http://127.0.0.1:9', redirect_url: 'http://127.0.0.1:9/made' },
      ...{ hook_attributes: { url: 'http://127.0.0.1:9/h' }, default_permissions: { contents: 'write' } },
      default_events: ['push'],
    };
    const submitted = await fetch(`${observed.sim.url}/organizations/acme/settings/apps/new?state=xyz`, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ manifest: JSON.stringify(manifest) }) },
    });
    const target = new URL(submitted.headers.get('location') ?? '');
    expect(target.searchParams.get('state')).toBe('xyz');
    const path = `/app-manifests/${target.searchParams.get('code') ?? ''}/conversions`;
    const made = await call(null, 'POST', path);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ slug: 'made', events: ['push'], permissions: { contents: 'write' } });
    expect(String(made.body['pem'])).toContain('BEGIN RSA PRIVATE KEY');
    expect((await call(null, 'POST', path)).status).toBe(404);
  });
});
