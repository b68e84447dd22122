import { createHmac, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { HANDLED_EVENTS } from '../../src/features/webhooks/payload-changes.js';
import type { WebhookFault } from '../github-sim/webhooks/webhook-faults.js';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

interface Example {
  readonly name: string;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

const EXAMPLES = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly Example[];

interface Post {
  readonly event: string;
  readonly body: string;
  readonly guid?: string;
  /** By default the signature of the body. */
  readonly signature?: string;
}

describe('the webhook', () => {
  let env: TestEnvironment;
  let installationId: number;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    const [row] = await env.asSuperuser<{ id: string }>('select installation_id as id from organization');
    installationId = Number(row?.id);
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  const scenario = (name: string): RepositoryScenario => new RepositoryScenario(env, { name });
  const sign = (body: string, secret = env.githubApp.webhookSecret): string =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

  const post = async ({ event, body, guid = randomUUID(), signature = sign(body) }: Post): Promise<number> => {
    const response = await fetch(`${await env.app.getUrl()}/api/webhook`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': event,
        'x-github-delivery': guid,
        ...(signature !== '' && { 'x-hub-signature-256': signature }),
      },
    });
    await response.arrayBuffer();
    return response.status;
  };

  const inbox = (): Promise<readonly { event: string; status: string; guid: string; kept: boolean }[]> =>
    env.asSuperuser('select guid, event, status, body is not null as kept from webhook_delivery order by received_at');

  it('acknowledges and drops a request whose signature does not match its bytes', async () => {
    const body = JSON.stringify({ action: 'created', installation: { id: installationId } });
    const before = await inbox();
    const signatures = [
      '',
      sign(body, 'another secret'),
      sign(`${body} `),
      sign(body).toUpperCase(),
      'sha256=',
      'sha1=0',
    ];
    for (const signature of signatures) expect(await post({ event: 'installation', body, signature })).toBe(202);
    expect(await post({ event: 'installation', body: `${body} `, signature: sign(body) })).toBe(202);
    expect(await inbox()).toEqual(before);
  });

  it('acknowledges and stores an event without a handler, and does nothing', async () => {
    const guid = randomUUID();
    const callsBefore = env.exchanges.length;
    const body = JSON.stringify({ action: 'created', installation: { id: installationId } });
    expect(await post({ event: 'star', body, guid })).toBe(202);
    await env.waitUntilIdle();
    expect((await inbox()).find((row) => row.guid === guid)).toMatchObject({ status: 'ignored', kept: false });
    expect(env.exchanges).toHaveLength(callsBefore);
  });

  it('acknowledges a delivery above 1 MB, and stores its target if it is signed', async () => {
    const [star, push, unsigned] = [randomUUID(), randomUUID(), randomUUID()];
    const body = JSON.stringify({ filler: 'x'.repeat(1_100_000), installation: { id: installationId } });
    expect(await post({ event: 'star', body, guid: star })).toBe(202);
    expect(await post({ event: 'push', body, guid: push })).toBe(202);
    expect(await post({ event: 'push', body, guid: push })).toBe(202);
    for (const signature of ['', sign(`${body} `), sign(body, 'another secret')]) {
      expect(await post({ event: 'push', body, guid: unsigned, signature })).toBe(202);
    }
    await env.waitUntilIdle();
    const rows = await inbox();
    expect(rows.filter(({ guid }) => new Set<string>([star, push, unsigned]).has(guid))).toEqual([
      { guid: star, event: 'star', status: 'ignored', kept: false },
      { guid: push, event: 'push', status: 'done', kept: true },
    ]);
    const [{ bytes } = { bytes: null }] = await env.asSuperuser<{ bytes: number }>(
      `select octet_length(body) as bytes from webhook_delivery where guid = '${push}'`,
    );
    expect(bytes).toBeLessThan(200);
  });

  it('closes the gate for the target of a delivery above 1 MB', async () => {
    const policy = PLAIN_POLICY.replace('stages:\n', 'stages:\n  testing: { required_checks: [build] }\n');
    const repo = new RepositoryScenario(env, { name: 'large', sdlc: policy });
    repo.milestone('v1.0.0');
    // GitHub puts the message of a commit into each delivery about its statuses.
    const sha = repo.repository.commit({ files: { 'src/a.ts': '1' }, message: 'x'.repeat(1_100_000) });
    repo.repository.statuses.set({ sha, context: 'build', state: 'success' });
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    await env.resync();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    repo.repository.statuses.set({ sha, context: 'build', state: 'failure' });
    await env.waitUntilIdle();
    const plain = await repo.gate('v1.0.0', { explain: 'false' });
    const explained = await repo.gate('v1.0.0');
    expect([plain.can_deploy, explained.can_deploy, codesOf(explained)]).toEqual([false, false, ['check_failing']]);
  });

  it('acknowledges a signed delivery of any shape', async () => {
    const bodies = [
      'null',
      '[]',
      '"x"',
      '{',
      '',
      '{"installation":7}',
      '{"installation":{"id":"1"},"repository":{"id":{}}}',
    ];
    for (const event of ['installation', 'push', 'pull_request_review', 'deployment_status']) {
      for (const body of bodies) expect(await post({ event, body })).toBe(202);
    }
    await env.waitUntilIdle();
    expect((await inbox()).filter(({ status }) => status === 'dead' || status === 'pending')).toEqual([]);
  });

  it('processes a delivery once, however often it arrives', async () => {
    const guid = randomUUID();
    const body = JSON.stringify({ action: 'created', installation: { id: installationId } });
    const countLookups = (): number =>
      env.exchanges.filter(({ path }) => path === `/app/installations/${installationId}`).length;
    const before = countLookups();
    for (let times = 0; times < 3; times += 1) {
      expect(await post({ event: 'installation', body, guid })).toBe(202);
      await env.waitUntilIdle();
    }
    expect(countLookups()).toBe(before + 1);
    expect((await inbox()).filter((row) => row.guid === guid)).toHaveLength(1);
  });

  it('does not answer while the inbox cannot be written', async () => {
    const body = JSON.stringify({ action: 'created', installation: { id: installationId } });
    await env.asSuperuser('alter table webhook_delivery rename to webhook_delivery_away');
    try {
      await expect(post({ event: 'installation', body })).rejects.toThrow('fetch failed');
    } finally {
      await env.asSuperuser('alter table webhook_delivery_away rename to webhook_delivery');
    }
    expect(await post({ event: 'installation', body })).toBe(202);
    await env.waitUntilIdle();
  });

  it('changes nothing for an unknown installation or repository', async () => {
    const rows = (): Promise<readonly object[]> =>
      env.asSuperuser('select o.login, r.name, r.removed_at from organization o left join repository r using (org_id)');
    const before = await rows();
    for (const event of HANDLED_EVENTS) {
      const strange = {
        installation: { id: 987_654_321 },
        repository: { id: 1_234_567, name: 'x' },
        action: 'created',
      };
      expect(await post({ event, body: JSON.stringify(strange) })).toBe(202);
    }
    await env.waitUntilIdle();
    expect(await rows()).toEqual(before);
  });

  it('processes every example of every event without a dead letter', async () => {
    const { repository } = scenario('examples');
    await env.waitUntilIdle();
    const heard = EXAMPLES.filter(({ name }) => HANDLED_EVENTS.has(name));
    expect(heard.length).toBeGreaterThanOrEqual(20);
    const before = (await inbox()).length;
    let sent = 0;
    for (const { name, examples } of heard) {
      for (const example of examples) {
        const ours = {
          installation: { id: installationId },
          ...('repository' in example && { repository: { id: repository.id } }),
        };
        expect(await post({ event: name, body: JSON.stringify({ ...example, ...ours }) })).toBe(202);
        sent += 1;
      }
    }
    await env.waitUntilIdle();
    const after = await inbox();
    expect(after).toHaveLength(before + sent);
    expect(after.filter(({ status }) => status !== 'done' && status !== 'ignored')).toEqual([]);
    const stuck = await env.asSuperuser('select last_error from graphile_worker.jobs where last_error is not null');
    expect(stuck).toEqual([]);
  });

  const FAULTS: readonly (readonly WebhookFault[])[] = [
    [{ kind: 'duplicate', times: 40 }],
    [
      { kind: 'reorder', times: 1 },
      { kind: 'duplicate', times: 2 },
      { kind: 'reorder', times: 3 },
    ],
    [
      { kind: 'delay', ms: 300, times: 2 },
      { kind: 'reorder', times: 1 },
      { kind: 'delay', ms: 150, times: 3 },
    ],
  ];
  it.each(FAULTS.map((faults, index) => ({ faults, name: `faults-${index}` })))(
    'ends in the same state for every fault of deliveries ($name)',
    async ({ faults, name }) => {
      const repo = scenario(name);
      await repo.evidencing('v1.0.0');
      const [milestone] = repo.repository.milestones.list();
      if (!milestone) throw new Error('there is no milestone');
      for (const fault of faults) env.outbox.faults.next(fault);
      const first = repo.approve('v1.0.0');
      const issue = repo.repository.issues.create({ title: 'One', milestone });
      repo.repository.milestones.close(milestone);
      repo.repository.pulls.reviews.dismiss(first);
      repo.repository.milestones.reopen(milestone);
      env.clock.advance(1_000);
      repo.approve('v1.0.0');
      repo.repository.issues.close(issue);
      repo.repository.issues.reopen(issue);
      await env.waitUntilIdle();
      env.outbox.faults.clear();
      const closed = await repo.gate('v1.0.0');
      expect(closed).toMatchObject({ current_stage: 'DEVELOPMENT', evidence_pr_approved: true, can_deploy: false });
      expect(codesOf(closed)).toEqual(['issue_open']);
      repo.repository.issues.close(issue);
      await env.waitUntilIdle();
      expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: true });
    },
  );

  it('closes the gate for a change also while GitHub does not return the change', async () => {
    const repo = scenario('unreadable');
    await repo.approved('v1.0.0');
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    env.github.faults.next({ kind: '5xx', status: 502, match: /^GET .*\/reviews/, times: 1_000 });
    const [review] = repo.evidencePull('v1.0.0').reviews;
    if (review) repo.repository.pulls.reviews.dismiss(review);
    await env.waitUntilIdle();
    const answer = await repo.gate('v1.0.0');
    env.github.faults.clear();
    expect(answer).toMatchObject({ can_deploy: false });
    // Until then there are no calls to GitHub, because one address failed several times.
    env.clock.advance(60_000);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, evidence_pr_approved: false });
  });

  it('is compensated by the reconciliation when a delivery never arrives', async () => {
    const repo = scenario('lost');
    await repo.approved('v1.0.0');
    env.outbox.faults.next({ kind: 'lose', event: 'pull_request_review' });
    const [review] = repo.evidencePull('v1.0.0').reviews;
    if (review) repo.repository.pulls.reviews.dismiss(review);
    await env.waitUntilIdle();
    await env.resync();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, evidence_pr_approved: false });
  });
});
