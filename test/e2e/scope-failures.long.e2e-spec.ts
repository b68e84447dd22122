import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { ScopeScenario } from './scenarios/scope-scenario.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const MINUTE_MS = 60_000;
/** The service repeats a write without a response once. */
const WRITES = 2;

let env: TestEnvironment;
let scenario: ScopeScenario;
let userCount = 0;

beforeAll(async () => {
  env = await TestEnvironment.start();
  scenario = new ScopeScenario(env, { name: 'orders' });
  scenario.milestone('v1.0.0');
  await env.install();
});
afterAll(() => env.stop());

/** Creates a user without a pause from earlier failures. */
async function triager(): Promise<UserSession> {
  userCount += 1;
  return scenario.member(`triager-${userCount}`, 'triage');
}

/** Ends the fault and the pause of the service after it. */
async function recover(): Promise<void> {
  env.github.faults.clear();
  env.clock.advance(2 * MINUTE_MS);
  await env.waitUntilIdle();
}

const writeTo = (number: number): RegExp => new RegExp(`^PATCH /repos/acme/orders/issues/${number}$`);
const confirmations = async (number: number): Promise<readonly boolean[]> => {
  const entries = await env.asSuperuser<{ confirmed: boolean }>(
    `select (data -> 'confirmed')::boolean as confirmed from audit_entry where subject = 'acme/orders#${number}'`,
  );
  return entries.map(({ confirmed }) => confirmed);
};
const LIST = /^GET \/repos\/acme\/orders\/issues\?/;

describe('a failure of GitHub', () => {
  it('with a requested pause changes nothing and returns a retry time', async () => {
    const user = await triager();
    const { number } = scenario.issue('Untouched');
    env.github.faults.next({ kind: 'secondary-limit', retryAfterS: 30, match: writeTo(number) });
    const { status, headers, body } = await scenario.change(user, 'v1.0.0', { action: 'link', number });
    expect([status, body['error']]).toEqual([503, expect.stringContaining('The issue was not changed')]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(scenario.repository.issues.find(number)?.milestone).toBeNull();
    await recover();
    const again = await scenario.change(user, 'v1.0.0', { action: 'link', number });
    expect([again.status, again.body]).toEqual([200, { saved: true, synced: true }]);
  });

  it('after the change was made leads to a check, and the change is saved', async () => {
    const user = await triager();
    const { number } = scenario.issue('Made after all');
    env.github.faults.next({ kind: 'drop', afterWork: true, match: writeTo(number) });
    const { status, body } = await scenario.change(user, 'v1.0.0', { action: 'link', number });
    expect([status, body]).toEqual([200, { saved: true, synced: true }]);
    expect(await scenario.known('v1.0.0')).toContain(`${number}`);
    await recover();
  });

  it('that leaves the result unknown blocks the issue for others until the lock expires', async () => {
    const [user, another] = [await triager(), await triager()];
    const { number } = scenario.issue('Perhaps');
    env.github.faults.next({ kind: '5xx', times: WRITES, match: writeTo(number) });
    const { status, body } = await scenario.change(user, 'v1.0.0', { action: 'link', number });
    expect([status, body['error']]).toEqual([503, expect.stringContaining('It is not known yet')]);
    const claims = await env.asSuperuser<{ n: number }>(`select issue_number as n from scope_lock`);
    expect(claims.map(({ n }) => n)).toEqual([number]);
    expect(await confirmations(number)).toEqual([false]);
    await recover();
    const again = await scenario.change(another, 'v1.0.0', { action: 'link', number });
    expect([again.status, again.body]).toEqual([200, { saved: true, synced: true }]);
    expect(await env.asSuperuser('select from scope_lock')).toEqual([]);
  });

  it('followed by a failure to save blocks the issue for others until the lock expires', async () => {
    const [user, another] = [await triager(), await triager()];
    const { number } = scenario.issue('Made, and not kept');
    await env.asSuperuser(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`);
    await env.asSuperuser(`create trigger refuse before delete on scope_lock execute function refuse()`);
    const { status, body } = await scenario.change(user, 'v1.0.0', { action: 'link', number });
    await env.asSuperuser('drop trigger refuse on scope_lock');
    expect([status, body['error']]).toEqual([503, expect.stringContaining('It is not known yet')]);
    expect(await confirmations(number)).toEqual([false]);
    await recover();
    const again = await scenario.change(another, 'v1.0.0', { action: 'link', number });
    expect([again.status, again.body]).toEqual([200, { saved: true, synced: true }]);
  });

  it('to list the scope still saves the change, and the list is read later', async () => {
    const user = await triager();
    const { number } = scenario.issue('Not listed yet');
    // The list cannot be read for the deliveries either.
    env.github.faults.next({ kind: '5xx', times: 1_000, match: LIST });
    const { status, body } = await scenario.change(user, 'v1.0.0', { action: 'link', number });
    expect([status, body]).toEqual([200, { saved: true, synced: false }]);
    expect(await scenario.known('v1.0.0')).toContain(`${number}`);
    const [{ old } = { old: null }] = await env.asSuperuser<{ old: boolean }>(
      `select observed_at < now() - interval '1 year' as old from observation where kind = 'issues'`,
    );
    expect(old).toBe(true);
    await recover();
    await env.hurry();
    const again = await scenario.change(user, 'v1.0.0', { action: 'link', number });
    expect(again.body).toEqual({ saved: true, synced: true });
  });
});

describe('an app', () => {
  it('that is suspended allows no change', async () => {
    const user = await triager();
    const { number } = scenario.issue('Out of reach');
    await env.waitUntilIdle();
    await env.asSuperuser(`update organization set suspended_at = now() where login = 'acme'`);
    const { status, body } = await scenario.change(user, 'v1.0.0', { action: 'link', number });
    await env.asSuperuser(`update organization set suspended_at = null where login = 'acme'`);
    expect([status, body['error']]).toEqual([409, expect.stringContaining('suspended')]);
    expect(scenario.repository.issues.find(number)?.milestone).toBeNull();
  });
});

describe('a scope that changes while its release ships', () => {
  let shipped = 0;

  /** A release whose candidate is being deployed, and a user who is about to change its scope. */
  async function deploying() {
    shipped += 1;
    const version = `v3.${shipped}.0`;
    const sha = await scenario.approved(version);
    const [user, issue] = [await triager(), scenario.issue('Racing')];
    env.clock.advance(2_000);
    const { deployments } = scenario.repository;
    const deployment = deployments.create({ ref: sha, environment: 'production' });
    await env.waitUntilIdle();
    // GitHub's times are in whole seconds. A gate that closed in the second in which a deployment began counts as
    // closed before it.
    env.clock.advance(2_000);
    return { version, person: user, issue, succeed: () => deployments.setStatus(deployment, 'success') };
  }

  /** The issues that the release was shipped with. */
  async function scopeInHistory(version: string): Promise<readonly number[] | null> {
    const [record] = await env.asSuperuser<{ scope: readonly { readonly number: number }[] }>(
      `select scope from deployment_record where version = '${version}' and kind = 'release'`,
    );
    return record ? record.scope.map(({ number }) => number) : null;
  }

  async function until(statement: string): Promise<void> {
    while ((await env.asSuperuser(statement)).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  it('delays the release until the change is saved, and starts no other change', async () => {
    const { version, person: user, issue, succeed } = await deploying();
    const id = await scenario.id(version);
    expect((await scenario.change(user, version, { action: 'link', number: issue.number })).status).toBe(200);
    // As if another process is changing another issue.
    const claimed = async (): Promise<void> => {
      const term = new Date(env.clock.now().getTime() + 45_000).toISOString();
      await env.asSuperuser(
        `insert into scope_lock (org_id, repository_id, issue_number, release_id, lock_token, expires_at)
         select org_id, repository_id, 9999, id, gen_random_uuid(), '${term}' from release where id = '${id}'`,
      );
    };
    await claimed();
    succeed();
    await until(`select from release where id = '${id}' and scope_closed_until is not null`);
    const another = await scenario.change(user, version, { action: 'unlink', number: issue.number });
    expect([another.status, another.body['error']]).toEqual([409, expect.stringContaining('being shipped')]);
    // The job runs again and still waits. The scope stays closed meanwhile.
    await env.asSuperuser(`update release set scope_closed_until = null where id = '${id}'`);
    await env.asSuperuser(`update ${JOB_TABLE} set run_at = now() where locked_at is null`);
    await until(`select from release where id = '${id}' and scope_closed_until is not null`);
    expect(await scopeInHistory(version)).toBeNull();
    // The claim of the other process expires.
    env.clock.advance(46_000);
    await env.hurry();
    expect(await scopeInHistory(version)).toEqual([issue.number]);
    const late = await scenario.change(user, version, { action: 'unlink', number: issue.number });
    expect([late.status, late.body['error']]).toEqual([409, expect.stringContaining('shipped')]);
    expect(issue.milestone?.title).toBe(version);
  });

  it('is not saved if GitHub had the change already and the release shipped without it', async () => {
    const version = 'v2.0.0';
    const milestone = scenario.milestone(version);
    const [user, issue] = [await triager(), scenario.issue('Linked on GitHub', milestone)];
    await env.waitUntilIdle();
    const listed = new Promise<void>((resolve) => {
      const match = ({ method, url }: { readonly method: string; readonly url: string }): boolean => {
        if (!LIST.test(`${method} ${url}`)) return false;
        resolve();
        return true;
      };
      env.github.faults.next({ kind: 'reorder', match });
    });
    const answer = scenario.change(user, version, { action: 'link', number: issue.number });
    await listed;
    await env.asSuperuser(`update release set shipped_at = now() where id = '${await scenario.id(version)}'`);
    env.github.faults.releaseHeld();
    expect((await answer).status).toBe(409);
  });

  it('ships with the change or rejects it, at the same time', async () => {
    const { version, person: user, issue, succeed } = await deploying();
    succeed();
    const { status } = await scenario.change(user, version, { action: 'link', number: issue.number });
    await env.waitUntilIdle();
    await env.hurry();
    expect([status, await scopeInHistory(version)]).toEqual(issue.milestone ? [200, [issue.number]] : [409, []]);
  });
});

it('sends GitHub only requests that its description allows', () => {
  expect(env.violations).toEqual([]);
});
