import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { McpClients } from './remote-tools/mcp-clients.js';
import { givenPersonalKey, REVISIONS } from './remote-tools/tools-client.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { ScopeScenario } from './scenarios/scope-scenario.js';

const READING = [
  'list_releases',
  'explain_gate',
  'pending_reviews',
  'review_brief',
  'history',
  'approval_record',
  'quality',
];
const WRITING = [...READING, 'scope', 'sync'];
const UNKNOWN = /^The workspace has no repository acme\/\w+, or you cannot read it\./;
/** Active releases, in the public repository and in the private one. */
const OPEN = ['v1.0.0'];
const HIDDEN = ['v7.0.0', 'v7.9.1'];

let env: TestEnvironment;
let open: ScopeScenario;
let secret: RepositoryScenario;
/** Can read `hushed` too. */
let reader: UserSession;
let outsider: UserSession;
let neighbour: UserSession;
let editors: McpClients;
let userCount = 0;

beforeAll(async () => {
  env = await TestEnvironment.start();
  editors = new McpClients(env);
  env.organization.basePermission = 'none';
  open = new ScopeScenario(env, { name: 'payments' });
  secret = new RepositoryScenario(env, { name: 'hushed' });
  const orgId = await env.install();
  const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
  const foreign = env.github.createRepository(elsewhere, { name: 'payments', private: false });
  await env.install(elsewhere);
  open.milestone('v1.0.0');
  secret.milestone('v7.0.0');
  foreign.milestones.create({ title: 'v9.0.0' });
  await env.waitUntilIdle();
  // A pending review and a deployment, in the public repository and in the private one.
  const [shipped, privateRepo] = await Promise.all([open.approved('v0.9.0'), secret.approved('v0.9.0')]);
  await Promise.all([open.deploy(shipped), secret.deploy(privateRepo)]);
  await secret.evidencing('v7.9.1');
  reader = await signIn(env, env.github.createUser({ login: 'rhea' }));
  outsider = await signIn(env, env.github.createUser({ login: 'otto' }));
  neighbour = await signIn(env, env.github.createUser({ login: 'nele' }), { organization: elsewhere });
  await env.asSuperuser(
    `insert into repository_access (org_id, person, repository_github_id)
     values ('${orgId}', ${reader.user.id}, ${secret.repository.id})`,
  );
});
afterEach(async () => {
  await editors.closeAll();
  expect(env.violations).toEqual([]);
});
afterAll(() => env.stop());

const versionsIn = (content: Readonly<Record<string, unknown>>): readonly string[] =>
  (content['releases'] as readonly { readonly version: string }[]).map(({ version }) => version);

const idOf = async (version: string): Promise<string> => {
  const [row] = await env.asSuperuser<{ readonly id: string }>(`select id from release where version = '${version}'`);
  return row?.id ?? '';
};

describe.each(REVISIONS)('the tools, with the client of the revision %s,', (revision) => {
  it.each([
    ['read', READING],
    ['write', WRITING],
  ] as const)('that a key of the scope %s can use are listed with their schemas', async (scope, names) => {
    const editor = await editors.of(reader, { scope, revision });
    expect([editor.revision, editor.server]).toEqual([revision, 'shipgate']);
    const tools = await editor.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { name, description = '', inputSchema, outputSchema, annotations } of tools) {
      expect([name, description.length > 40, inputSchema.type, outputSchema]).toEqual([
        name,
        true,
        'object',
        undefined,
      ]);
      expect(inputSchema['additionalProperties']).toBe(false);
      expect([name, annotations?.readOnlyHint]).toEqual([name, READING.includes(name)]);
    }
  });

  it('show the active releases', async () => {
    const editor = await editors.of(reader, { revision });
    await editor.listTools();
    const { content, text } = await editor.call('list_releases');
    expect(versionsIn(content).toSorted()).toEqual([...OPEN, ...HIDDEN]);
    expect(content).toMatchObject({ counts: { all: 3 }, pagination: { page: 1, pageSize: 25, total: 3, pages: 1 } });
    expect(JSON.parse(text)).toEqual(content);
    const found = await editor.call('list_releases', { search: 'PAY', page: 1, pageSize: 10 });
    expect(versionsIn(found.content).toSorted()).toEqual(OPEN);
    expect(found.content['pagination']).toEqual({ page: 1, pageSize: 10, total: 1, pages: 1 });
    const ready = await editor.call('list_releases', { outcome: 'ready_to_deploy' });
    expect([versionsIn(ready.content), ready.content['pagination']]).toEqual([
      [],
      { page: 1, pageSize: 25, total: 0, pages: 1 },
    ]);
    const beyond = await editor.call('list_releases', { page: 2 });
    expect([versionsIn(beyond.content), beyond.content['counts']]).toEqual([[], content['counts']]);
  });

  it('explain the gate with the messages of the gate', async () => {
    const editor = await editors.of(reader, { revision });
    await editor.listTools();
    const { content } = await editor.call('explain_gate', { repo: 'acme/payments', version: 'v1.0.0' });
    expect(content).toMatchObject({ version: 'v1.0.0', canDeploy: false, testsPassing: false, overrides: [] });
    expect(content['reasons']).not.toEqual([]);
    const { version, reasons, ...gate }: Readonly<Record<string, unknown>> = {
      ...(await open.gate('v1.0.0', { explain: 'true' })),
    };
    expect(content).toEqual({
      version,
      reasons,
      currentStage: gate['current_stage'],
      evidencePrApproved: gate['evidence_pr_approved'],
      testsPassing: gate['tests_passing'],
      canDeploy: gate['can_deploy'],
      candidateSha: gate['candidate_sha'],
      decisionId: gate['decision_id'],
      releaseUrl: gate['release_url'],
      overrides: gate['overrides'],
      artifacts: [],
      deployments: [],
    });
  });

  it('brief a reviewer as the route does', async () => {
    const editor = await editors.of(reader, { revision });
    await editor.listTools();
    const path = `/api/reviews/release/${await idOf('v7.9.1')}/brief`;
    await reader.get(path);
    await env.waitUntilIdle();
    const { content, text } = await editor.call('review_brief', { repo: 'hushed', version: 'v7.9.1' });
    expect(content).toMatchObject({ since: { version: 'v0.9.0' }, tests: { comparison: 'known' }, ownReview: null });
    expect(content).toEqual((await reader.get(path)).body);
    expect(JSON.parse(text)).toEqual(content);
  });

  it('show how a release was approved as the route does', async () => {
    const editor = await editors.of(reader, { revision });
    await editor.listTools();
    const { content, text } = await editor.call('approval_record', { repo: 'payments', version: 'v0.9.0' });
    const { readAt, ...record } = content;
    expect(record).toMatchObject({
      decision: { open: true, approvals: { given: 1 } },
      evidence: [{ types: ['unit_tests'], files: [{ sha256: expect.any(String) }] }],
      deployments: [{ kind: 'release' }],
    });
    const { milestoneId } = record['release'] as { readonly milestoneId: string };
    expect((await reader.get(`/api/milestones/${milestoneId}/approval-record`)).body).toMatchObject(record);
    expect([typeof readAt, JSON.parse(text)]).toEqual(['string', content]);
  });

  it('change the scope of a release in the name of the owner of the key', async () => {
    userCount += 1;
    const triager = await open.member(`triager-${userCount}`, 'triage');
    const editor = await editors.of(triager, { scope: 'write', revision });
    await editor.listTools();
    const { number } = open.issue('Pay twice');
    const requested = { repo: 'payments', version: 'v1.0.0', action: 'link', number };
    expect((await editor.call('scope', requested)).content).toEqual({ saved: true, synced: true });
    expect(open.repository.issues.find(number)?.milestone?.title).toBe('v1.0.0');
    expect(await open.known('v1.0.0')).toContain(String(number));
    expect((await editor.call('scope', { ...requested, action: 'assign' })).text).toMatch(/assignee/);
    expect((await editor.call('scope', { ...requested, action: 'unlink' })).content).toMatchObject({ saved: true });
    expect(open.repository.issues.find(number)?.milestone).toBeNull();
    const audited = await env.asSuperuser(
      `select e.actor -> 'login' as by, e.action from audit_entry e join personal_key k on k.id::text = e.data ->> 'keyId'
       where e.subject = 'acme/payments#${number}' and k.person = ${triager.user.id} order by e.sequence`,
    );
    expect(audited).toEqual(['issue.linked', 'issue.unlinked'].map((action) => ({ by: triager.user.login, action })));
    await env.waitUntilIdle();
  });

  it('sync one repository, or all', async () => {
    const editor = await editors.of(reader, { scope: 'write', revision });
    await editor.listTools();
    const { content } = await editor.call('sync', { repo: 'payments' });
    expect(content).toEqual({ syncId: expect.any(String), status: 'running' });
    await env.waitUntilIdle();
    expect((await reader.get('/api/sync')).body).toMatchObject({ syncId: content['syncId'], status: 'completed' });
    const all = await editor.call('sync');
    expect(all.content['syncId']).not.toBe(content['syncId']);
    await env.waitUntilIdle();
  });

  it('that change something are rejected for a read key before they have an effect', async () => {
    const editor = await editors.of(reader, { revision });
    const before = (await reader.get('/api/sync')).body['syncId'];
    await expect(editor.call('sync')).rejects.toMatchObject({ requiredScope: 'write' });
    expect((await reader.get('/api/sync')).body['syncId']).toBe(before);
  });

  it.each<[string, (key: { readonly id: string; readonly secret: string }, owner: UserSession) => Promise<unknown>]>([
    ['is revoked', (key, owner) => owner.send('DELETE', `/api/settings/mcp-keys/${key.id}`)],
    ['is 30 days old', (key) => env.asSuperuser(`update personal_key set expires_at = now() where id = '${key.id}'`)],
    ['lost its owner', (_, owner) => env.asSuperuser(`delete from member where person = ${owner.user.id}`)],
  ])('are closed, during a session and at its start, to a key that %s', async (_, end) => {
    userCount += 1;
    const owner = await signIn(env, env.github.createUser({ login: `owner-${userCount}` }));
    const key = await givenPersonalKey(owner, 'write');
    const editor = await editors.connect(key.secret, revision);
    expect((await editor.call('list_releases')).isError).toBe(false);
    await end(key, owner);
    for (const name of WRITING) await expect(editor.call(name)).rejects.toMatchObject({ status: 401 });
    await expect(editors.connect(key.secret, revision)).rejects.toMatchObject({ status: 401 });
  });
});

describe('the scope of a release', () => {
  it.each([
    ['may only look at the repository on GitHub', () => open.member('onlooker', 'read'), /triage/],
    ['did not sign in with GitHub', async () => outsider, /sign/],
  ])('is not changed by a user who %s', async (_, userOf, reason) => {
    const editor = await editors.of(await userOf(), { scope: 'write' });
    const { number } = open.issue('Untouched');
    const requested = { repo: 'payments', version: 'v1.0.0', action: 'link', number };
    expect(await editor.call('scope', requested)).toMatchObject({ isError: true, text: expect.stringMatching(reason) });
    expect(open.repository.issues.find(number)?.milestone).toBeNull();
  });

  it('is not found for a release of another workspace, or of a repository that the user cannot read', async () => {
    const triager = await open.member('stranger', 'triage');
    const editor = await editors.of(triager, { scope: 'write' });
    for (const [repo, version] of [
      ['elsewhere/payments', 'v9.0.0'],
      ['hushed', 'v7.0.0'],
      ['nothing', 'v1.0.0'],
    ]) {
      const answer = await editor.call('scope', { repo, version, action: 'link', number: 1 });
      expect([answer.isError, answer.text]).toEqual([
        true,
        expect.stringContaining(`The workspace has no repository ${repo}, or you cannot read it.`),
      ]);
    }
    const foreign = await editor.call('scope', { repo: 'payments', version: 'v9.0.0', action: 'link', number: 1 });
    expect(foreign.text).toMatch(/^The repository payments has no release v9\.0\.0\./);
  });
});

describe('a name that is nearly right', () => {
  it.each([
    [{ repo: 'payments', version: '1.0.0' }, 'The repository payments has no release 1.0.0. Did you mean v1.0.0?'],
    [
      { repo: 'acme/payment', version: 'v1.0.0' },
      'The workspace has no repository acme/payment, or you cannot read it. Did you mean payments?',
    ],
    [{ repo: 'hushd', version: 'v7.0.0' }, 'The workspace has no repository hushd, or you cannot read it.'],
  ])('as in %j is answered with %j', async (args, text) => {
    const editor = await editors.of(outsider, { scope: 'write' });
    for (const [name, rest] of [
      ['explain_gate', {}],
      ['review_brief', {}],
      ['approval_record', {}],
      ['quality', {}],
      ['scope', { action: 'link', number: 1 }],
    ] as const) {
      expect([name, await editor.call(name, { ...args, ...rest })]).toMatchObject([name, { isError: true, text }]);
    }
  });
});

describe('a private repository', () => {
  it('is in no response to users who cannot read it, and looks like an unknown one', async () => {
    const editor = await editors.of(outsider, { scope: 'write' });
    const { content } = await editor.call('list_releases');
    expect([versionsIn(content).toSorted(), content['counts']]).toEqual([OPEN, expect.objectContaining({ all: 1 })]);
    for (const [name, args] of [
      ['list_releases', {}],
      ['pending_reviews', { scope: 'workspace' }],
      ['history', {}],
      ['quality', {}],
    ] as const) {
      expect([name, (await editor.call(name, args)).text]).toEqual([name, expect.not.stringMatching(/hushed|v7/)]);
    }
    for (const search of ['hushed', 'v7', 'acme/hus']) {
      expect(versionsIn((await editor.call('list_releases', { search })).content)).toEqual([]);
    }
    for (const [name, rest] of [
      ['explain_gate', { version: 'v7.0.0' }],
      ['review_brief', { version: 'v7.0.0' }],
      ['approval_record', { version: 'v7.0.0' }],
      ['sync', {}],
      ['history', {}],
      ['quality', {}],
    ] as const) {
      const hidden = await editor.call(name, { repo: 'acme/hushed', ...rest });
      const nothing = await editor.call(name, { repo: 'acme/nothing', ...rest });
      expect(hidden).toEqual({ ...nothing, text: nothing.text.replace('nothing', 'hushed') });
      expect([hidden.isError, hidden.text]).toEqual([true, expect.stringMatching(UNKNOWN)]);
    }
  });

  it('is hidden from the next call on after its viewer lost access', async () => {
    const guest = await signIn(env, env.github.createUser({ login: 'gus' }));
    const orgId = await env.orgId();
    await env.asSuperuser(
      `insert into repository_access (org_id, person, repository_github_id)
       values ('${orgId}', ${guest.user.id}, ${secret.repository.id})`,
    );
    const editor = await editors.of(guest);
    const requested = { repo: 'hushed', version: 'v7.0.0' };
    expect((await editor.call('explain_gate', requested)).content).toMatchObject({ version: 'v7.0.0' });
    await env.asSuperuser(`delete from repository_access where person = ${guest.user.id}`);
    expect((await editor.call('explain_gate', requested)).text).toMatch(/no repository hushed/);
    expect(versionsIn((await editor.call('list_releases')).content).toSorted()).toEqual(OPEN);
  });
});

describe('a removed repository', () => {
  const named = { repo: 'payments', version: 'v0.9.0' };
  const remove = (at: string): Promise<unknown> =>
    env.asSuperuser(
      `update repository set removed_at = ${at} where github_id = ${open.repository.id} and org_id in
         (select org_id from organization where login = 'acme')`,
    );

  const rename = (name: string): Promise<unknown> =>
    env.asSuperuser(`update repository set name = '${name}' where github_id = ${secret.repository.id}`);

  // Other tests use both repositories.
  afterEach(async () => {
    await rename('hushed');
    await remove('null');
  });

  it('is found by the tools that read what is stored of it, and by no other', async () => {
    const editor = await editors.of(reader, { scope: 'write' });
    const reads = async (): Promise<readonly unknown[]> => [
      (await editor.call('review_brief', named)).content,
      (await editor.call('history', { repo: named.repo })).content,
      { ...(await editor.call('approval_record', named)).content, readAt: null },
      (await editor.call('quality', named)).content,
    ];
    const before = await reads();
    expect(before).toMatchObject([{}, { history: [{}] }, { deployments: [{}] }, { results: [{ version: 'v0.9.0' }] }]);
    await remove('now()');
    expect(await reads()).toEqual(before);
    for (const [name, args] of [
      ['explain_gate', named],
      ['scope', { ...named, action: 'link', number: 1 }],
      ['sync', { repo: named.repo }],
    ] as const) {
      expect([name, (await editor.call(name, args)).text]).toEqual([
        name,
        expect.stringMatching(/no repository payments/),
      ]);
    }
  });

  it('is not found if a present one has its name', async () => {
    const editor = await editors.of(reader);
    await remove('now()');
    await rename('payments');
    expect((await editor.call('approval_record', { ...named, version: 'v1.0.0' })).text).toMatch(
      /^The repository payments has no release v1\.0\.0\./,
    );
    const { content } = await editor.call('approval_record', { ...named, version: 'v7.9.1' });
    expect(content).toMatchObject({ release: { version: 'v7.9.1' } });
  });
});

describe('another workspace', () => {
  it('is not found, whatever a call names', async () => {
    const editor = await editors.of(neighbour, { scope: 'write' });
    expect(versionsIn((await editor.call('list_releases')).content)).toEqual(['v9.0.0']);
    const own = await editor.call('explain_gate', { repo: 'payments', version: 'v9.0.0' });
    expect(own.content).toMatchObject({ version: 'v9.0.0' });
    for (const repo of ['acme/payments', 'acme/hushed']) {
      expect((await editor.call('explain_gate', { repo, version: 'v1.0.0' })).text).toMatch(UNKNOWN);
      expect((await editor.call('sync', { repo })).text).toMatch(UNKNOWN);
    }
    const missing = await editor.call('explain_gate', { repo: 'payments', version: 'v1.0.0' });
    expect([missing.isError, missing.text]).toEqual([
      true,
      'The repository payments has no release v1.0.0. Did you mean v9.0.0?',
    ]);
  });
});

describe('a gate', () => {
  it('is explained as open only for the candidate, and as closed as soon as a fact changes', async () => {
    const sha = await open.approved('v1.1.0');
    const editor = await editors.of(reader);
    const requested = { repo: 'payments', version: 'v1.1.0' };
    expect((await editor.call('explain_gate', requested)).content).toMatchObject({
      currentStage: 'DEPLOYMENT',
      canDeploy: true,
      candidateSha: sha,
      reasons: [],
    });
    expect((await editor.call('explain_gate', { ...requested, sha })).content).toMatchObject({ canDeploy: true });
    const other = await editor.call('explain_gate', { ...requested, sha: 'f'.repeat(40) });
    expect(other.content).toMatchObject({ canDeploy: false, reasons: [{ code: 'not_the_candidate' }] });
    await open.run(open.commit()).uploadTests('v1.1.0', 3, 1);
    await env.waitUntilIdle();
    expect((await editor.call('explain_gate', requested)).content).toMatchObject({ canDeploy: false });
  });
});

it('explain_gate names the artifacts of a release and its reported deployments', async () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const named = { repo: open.repository.fullName, version: 'v8.0.0' };
  const candidate = await open.evidencing(named.version);
  const send = async (path: string, credential: string, body: object): Promise<number> => {
    const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
    return (await fetch(`${env.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  };
  const run = await open.run(candidate).token();
  expect(await send('/api/artifacts', run, { ...named, name: 'api', digest })).toBe(201);
  const deployment = { ...named, environment: 'qa', deployment: 'd1', status: 'started' };
  expect(await send('/api/deployments', await env.key(['deployment:write']), deployment)).toBe(201);
  await env.waitUntilIdle();
  const editor = await editors.of(reader, { revision: REVISIONS[0] });
  const { content } = await editor.call('explain_gate', named);
  expect(content).toMatchObject({
    artifacts: [{ name: 'api', digest, binding: 'run', accepted: false }],
    deployments: [{ environment: 'qa', commitSha: candidate, status: 'started', endedAt: null }],
  });
});

describe('explain_gate of an environment', () => {
  const SDLC = `version: v1
stages:
  development: { deploy_target: dev }
  testing: { deploy_target: Staging, soak: 1h, required_artifacts: [{ name: api, provenance: false }] }
  evidencing: { required_evidence: [{ kind: unit_tests }] }
`;
  const digest = `sha256:${'a'.repeat(64)}`;
  const named = { repo: 'acme/chained', version: 'v3.0.0' };
  let chained: RepositoryScenario;
  let candidate: string;

  beforeAll(async () => {
    chained = new RepositoryScenario(env, { name: 'chained', sdlc: SDLC, private: false });
    candidate = await chained.evidencing(named.version);
    const response = await fetch(`${env.baseUrl}/api/artifacts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await chained.run(candidate).token()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...named, name: 'api', digest }),
    });
    expect(response.status).toBe(201);
    await env.waitUntilIdle();
  });

  it.each([
    [{ environment: 'dev' }, true, []],
    [{ environment: 'staging' }, true, []],
    [{ environment: 'STAGING', digest }, true, []],
    [{ environment: 'staging', digest: `sha256:${'b'.repeat(64)}` }, false, ['not_the_candidate']],
    [{ environment: 'staging', sha: 'f'.repeat(40) }, false, ['not_the_candidate']],
    [{ environment: 'production' }, false, ['not_deployed_to_stage']],
    [{ digest }, false, ['not_deployed_to_stage']],
  ] as const)('says for %j what the gate says: %s', async (asked, canDeploy, codes) => {
    const editor = await editors.of(reader);
    const { content } = await editor.call('explain_gate', { ...named, ...asked });
    const gate = await chained.gate(named.version, { ...asked });
    expect(content).toMatchObject({
      canDeploy,
      candidateSha: candidate,
      currentStage: gate.current_stage,
      decisionId: gate.decision_id,
      reasons: gate.reasons,
    });
    expect([gate.can_deploy, gate.reasons?.map(({ code }) => code)]).toEqual([canDeploy, codes]);
  });

  it('names no gate for an environment that the policy does not name', async () => {
    const editor = await editors.of(reader);
    const { isError, text } = await editor.call('explain_gate', { ...named, environment: 'qa' });
    expect([isError, text]).toEqual([true, expect.stringMatching(/environment/)]);
    const malformed = await editor.call('explain_gate', { ...named, environment: 'sta\nging' });
    expect([malformed.isError, malformed.text]).toEqual([true, expect.stringContaining('1 to 255 characters')]);
  });
});

it.each([
  ['pending_reviews', { scope: 'workspace' }, '/api/reviews/pending?page=1&scope=workspace'],
  ['pending_reviews', {}, '/api/reviews/pending?page=1'],
  [
    'pending_reviews',
    { eligibility: 'ineligible', search: 'pay' },
    '/api/reviews/pending?page=1&eligibility=ineligible&search=PAY',
  ],
  ['history', {}, '/api/history?page=1'],
  ['history', { repo: 'ACME/payments', from: '2026-01-01' }, '/api/history?page=1&repository=acme/payments'],
  [
    'history',
    { kind: 'ungoverned', environment: 'Production', search: 'pay' },
    '/api/history?page=1&kind=ungoverned&environment=production&search=PAY',
  ],
  ['quality', {}, '/api/quality?page=1'],
  [
    'quality',
    { repo: 'ACME/payments', type: 'unit_tests', environment: 'ci', pageSize: 10 },
    '/api/quality?owner=acme&repo=payments&type=unit_tests&environment=ci&pageSize=10',
  ],
  ['quality', { repo: 'payments', version: 'v0.9.0' }, '/api/quality?page=1&owner=acme&repo=payments&milestone=v0.9.0'],
  ['quality', { results: 'none' }, '/api/quality?page=1&results=none'],
  ['list_releases', { pageSize: 10 }, '/api/dashboard?pageSize=10'],
  [
    'list_releases',
    { outcome: 'in_progress', sort: 'urgency' },
    '/api/dashboard?page=1&outcome=in_progress&sort=urgency',
  ],
])('return for %s with %j the result of %s', async (name, args, path) => {
  const editor = await editors.of(reader, { revision: REVISIONS[0] });
  await editor.listTools();
  // Unknown values are read in the background after the first request.
  await reader.get(path);
  await env.waitUntilIdle();
  const { content, text } = await editor.call(name, args);
  expect(content).toEqual((await reader.get(path)).body);
  expect(JSON.parse(text)).toEqual(content);
});
