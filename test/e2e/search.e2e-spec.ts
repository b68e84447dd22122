import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PrivateRepositoryScenario } from './scenarios/private-repository-scenario.js';

const OPEN_SHA = 'abc1230000000000000000000000000000000001';
const HIDDEN_SHA = 'abc1230000000000000000000000000000000002';
const UNGOVERNED_SHA = 'def4560000000000000000000000000000000003';
const PRIVATE_NAME = 'hushed';
const KINDS = ['releases', 'repositories', 'projects', 'commits', 'users'] as const;

let env: TestEnvironment;
let scenario: PrivateRepositoryScenario;

beforeAll(async () => {
  env = await TestEnvironment.start();
  scenario = await PrivateRepositoryScenario.in(env);
  const { rows, privateRepo } = scenario;
  const ledger = await rows.repository('ledger');
  const active = await rows.release({ repositoryId: ledger, version: 'v2.0.0' });
  const hidden = await rows.release({ repositoryId: privateRepo, version: 'v2.0.0' });
  await candidate(active, OPEN_SHA);
  await candidate(hidden, HIDDEN_SHA);
  const shippedAt = '2026-02-01T00:00:00Z';
  const shipped = await rows.release({ repositoryId: ledger, version: 'v1.0.0', stage: 'DEPLOYED', shippedAt });
  await rows.release({ repositoryId: ledger, version: 'v1.9.9', cancelledAt: shippedAt });
  await deployment(ledger, { kind: 'release', releaseId: shipped, version: 'v1.0.0', sha: OPEN_SHA.replace('1', '9') });
  await deployment(ledger, { kind: 'ungoverned', releaseId: null, version: null, sha: UNGOVERNED_SHA });
  await deployment(privateRepo, { kind: 'ungoverned', releaseId: null, version: null, sha: UNGOVERNED_SHA });
  await rows.write(
    `insert into project (org_id, id, name, lower_name, created_at, updated_at) values ($1, $2, 'Ledger 2026', 'ledger 2026', now(), now())`,
    [rows.orgId, randomUUID()],
  );
});
afterAll(async () => {
  expect(env.violations).toEqual([]);
  await env.stop();
});

const candidate = (releaseId: string, sha: string): Promise<void> =>
  scenario.rows.write('update release set candidate_sha = $2, candidate_shas = array[$2] where id = $1', [
    releaseId,
    sha,
  ]);

async function deployment(
  repositoryId: string,
  {
    kind,
    releaseId,
    version,
    sha,
  }: Readonly<Record<'kind' | 'sha', string> & Record<'releaseId' | 'version', string | null>>,
): Promise<void> {
  await scenario.rows.write(
    `insert into deployment_record (org_id, id, repository_id, release_id, version, kind, commit_sha, environment, deployed_at, approvers, recorded_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'production', now(), '[]', now())`,
    [scenario.rows.orgId, randomUUID(), repositoryId, releaseId, version, kind, sha],
  );
}

/** The names of what the user finds, by kind. */
async function find(
  q: string,
  by: UserSession = scenario.reader,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const { status, body } = await by.get(`/api/search?q=${encodeURIComponent(q)}`);
  expect(status).toBe(200);
  const found = body as Readonly<Record<string, readonly Readonly<Record<string, string | null>>[]>>;
  expect(Object.keys(found).toSorted()).toEqual([...KINDS].toSorted());
  return Object.fromEntries(
    Object.entries(found)
      .filter(([, results]) => results.length > 0)
      .map(([kind, results]) => [kind, results.map((one) => toName(one))]),
  );
}

const toName = ({ sha, repo, version, name, login }: Readonly<Record<string, string | null>>): string =>
  [sha, repo, version, login ?? name].filter((part) => part !== undefined && part !== null).join(' ');

describe('the search', () => {
  it.each([
    ['ledger', { releases: ['ledger v2.0.0', 'ledger v1.0.0'], repositories: ['ledger'], projects: ['Ledger 2026'] }],
    ['LEDGER V1.0', { releases: ['ledger v1.0.0'] }],
    ['acme/led', { releases: ['ledger v2.0.0', 'ledger v1.0.0'], repositories: ['ledger'] }],
    ['v2.0', { releases: expect.arrayContaining([`${PRIVATE_NAME} v2.0.0`, 'ledger v2.0.0']) }],
    ['v1.9.9', {}],
    ['RHEA', { users: ['rhea'] }],
    [OPEN_SHA, { commits: [`${OPEN_SHA} ledger v2.0.0`] }],
    ['ABC1230', { commits: [`${OPEN_SHA} ledger v2.0.0`, `${HIDDEN_SHA} ${PRIVATE_NAME} v2.0.0`] }],
    ['abc123', {}],
    ['%_', {}],
  ])('finds by "%s" what the user can read', async (q, expected) => {
    expect(await find(q)).toEqual(expected);
  });

  it('finds a commit that was deployed without a release', async () => {
    expect((await find(UNGOVERNED_SHA.slice(0, 8)))['commits']).toEqual(
      expect.arrayContaining([`${UNGOVERNED_SHA} ledger`, `${UNGOVERNED_SHA} ${PRIVATE_NAME}`]),
    );
  });

  it('shows nothing of a private repository to a user who cannot read it', async () => {
    const { outsider } = scenario;
    expect(await find(PRIVATE_NAME, outsider)).toEqual({});
    expect(await find('v2.0', outsider)).toEqual({ releases: ['ledger v2.0.0'] });
    expect(await find('abc1230', outsider)).toEqual({ commits: [`${OPEN_SHA} ledger v2.0.0`] });
    expect(await find('def4560', outsider)).toEqual({ commits: [`${UNGOVERNED_SHA} ledger`] });
  });

  it('shows nothing of another workspace', async () => {
    for (const q of ['ledger', 'rhea', 'abc1230', 'v1.0']) expect(await find(q, scenario.elsewhere)).toEqual({});
  });

  it.each(['', 'a', '  ', 'x'.repeat(101)])('rejects "%s"', async (q) => {
    expect((await scenario.reader.get(`/api/search?q=${encodeURIComponent(q)}`)).status).toBe(400);
  });

  it('returns a few results of each kind', async () => {
    for (let n = 0; n < 8; n += 1) await scenario.rows.repository(`many-${n}`);
    expect((await find('many-'))['repositories']).toHaveLength(6);
  });
});
