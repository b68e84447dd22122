import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import { CANDIDATE, evidencePull, evidenceItem, pull } from '../support/given-facts.js';
import { givenTrunkRelease } from '../support/release-builder.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { givenCollaborator, whileReached } from './given-collaborator.js';
import { type GivenGitHub, PUBLIC_URL, UNREPORTED_INSTALLATION } from './given-github.js';
import { givenCallers } from './given-callers.js';
import { givenSession } from './given-session.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const CHANGES = ['startRelease', 'refreshRelease', 'reopenEvidencePullRequest'] as const;
const OF_ONE = ['getRelease', ...CHANGES] as const;
const SHIPPED = {
  candidateSha: CANDIDATE,
  candidateShas: [CANDIDATE],
  testsPassing: true,
  evidenceApproved: true,
  approvalRequired: true,
};

/** Provokes every documented response about one release and its creation. */
export async function callMilestones(
  call: CallOperation,
  of: BuiltService,
  { database, host }: { readonly database: TestDatabase; readonly host: GivenGitHub },
): Promise<void> {
  await callRelease(call, of, database);
  await callCreation(call, of, { database, host });
}

async function callRelease(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const { member, outsider } = await givenCallers(of, database);
  const asXml = { ...member.headers, 'content-type': 'application/xml' };
  const path = { id: await givenClosedPull(database) };
  for (const operationId of OF_ONE) {
    expect(await call(operationId, { ...member, path, query: NUL })).toBe(400);
    expect(await call(operationId, { of, path })).toBe(401);
    expect(await call(operationId, { ...outsider, path })).toBe(403);
    expect(await call(operationId, { ...member, path: { id: randomUUID() } })).toBe(404);
  }
  for (const operationId of CHANGES) {
    expect(await call(operationId, { ...member, path, body: DEEP })).toBe(413);
    expect(await call(operationId, { ...member, path, headers: asXml, body: '<a/>' })).toBe(415);
  }
  const does = (operationId: (typeof OF_ONE)[number]): Promise<number> => call(operationId, { ...member, path });
  expect(await does('getRelease')).toBe(200);
  for (const look of ['stored', 'live']) {
    expect(await call('getRelease', { ...member, path, query: { look } })).toBe(200);
  }
  expect(await call('getRelease', { ...member, path, query: { look: 'fresh' } })).toBe(400);
  expect(await does('startRelease')).toBe(200);
  expect([await does('refreshRelease'), await does('reopenEvidencePullRequest')]).toEqual([409, 409]);
  await withDedicatedClient(database.superuserUrl, async (client) => {
    // GitHub issues no token for the installation, so the service has only the stored facts.
    await client.query(`update organization set installation_id = ${UNREPORTED_INSTALLATION} where github_id = 3001`);
    expect(await does('refreshRelease')).toBe(202);
    expect([await does('reopenEvidencePullRequest'), await does('reopenEvidencePullRequest')]).toEqual([202, 409]);
    await client.query(`update organization set installation_id = null where github_id = 3001`);
    await client.query(`update release set shipped = $2 where id = $1`, [path.id, JSON.stringify(SHIPPED)]);
    expect(await does('startRelease')).toBe(409);
    await client.query(`update release set deleted_at = now() where id = $1`, [path.id]);
  });
}

async function callCreation(
  call: CallOperation,
  of: BuiltService,
  { database, host }: { readonly database: TestDatabase; readonly host: GivenGitHub },
): Promise<void> {
  const spec = { login: 'makers', name: 'made', userLogin: 'wanda', role: 'write' } as const;
  const given = await givenCollaborator({ database, host }, spec);
  const { headers } = given;
  const repoId = randomUUID();
  const order = { repoId, version: 'v1.4.0', dueOn: '2099-12-24', description: 'Pay by card.' };
  const make = (request: Call): Promise<number> => call('createRelease', { of, headers, body: order, ...request });
  expect(await make({ body: { repoId } })).toBe(400);
  expect(await make({ headers: {} })).toBe(401);
  expect(await make({ headers: { ...headers, cookie: await givenSession(database, null) } })).toBe(403);
  expect(await make({})).toBe(404);
  expect(await make({ body: DEEP })).toBe(413);
  expect(await make({ headers: { ...headers, 'content-type': 'application/xml' }, body: '<a/>' })).toBe(415);
  await whileReached(database, given, repoId, async () => {
    expect(await make({})).toBe(201);
    expect(await make({})).toBe(409);
    expect(await make({ body: { ...order, version: 'one' } })).toBe(422);
  });
}

/**
 * Creates a tested release of `acme` with fresh facts whose evidence pull request was closed without a merge. Returns
 * its id.
 */
async function givenClosedPull({ superuserUrl }: TestDatabase): Promise<string> {
  const [releaseId, repositoryId, evidenceId] = [randomUUID(), randomUUID(), randomUUID()];
  const release = givenTrunkRelease().know('pull', '7', pull({ state: 'closed' }));
  const { version, milestoneNumber, milestoneGithubId } = release.record;
  const { kind, metrics, failures } = evidenceItem();
  const written = evidencePull();
  const acme = `from organization where login = 'acme'`;
  await withDedicatedClient(superuserUrl, async (client) => {
    await client.query(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at, managed_at)
       select org_id, $1, 4713, 'unmerged', false, 'main', now(), now(), now() ${acme}`,
      [repositoryId],
    );
    await client.query(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, created_at, updated_at)
       select org_id, $1, $2, $3, $4, $5, $3, 'https://github.com/acme/unmerged/milestone/5', now(), now() ${acme}`,
      [releaseId, repositoryId, version, milestoneGithubId, milestoneNumber],
    );
    await client.query(
      `insert into evidence (org_id, id, release_id, repository_id, pipeline, environment, job, run_id, commit_sha,
         commit_source, uploaded_by, items, metrics, reports, flags, sha256, received_at)
       select org_id, $1, $2, $3, 'ci', 'staging', 'test', '100', $4, 'token', '{}', $5, '{}', '[]', '[]', 'f1', now() ${acme}`,
      [evidenceId, releaseId, repositoryId, CANDIDATE, JSON.stringify([{ kind, metrics, failures }])],
    );
    await client.query(
      `insert into evidence_pull_request (org_id, id, release_id, repository_id, number, url, branch, base_ref, head_sha,
         commit_shas, files, candidate_sha, evidence_set_digest, opened_at, updated_at)
       select org_id, gen_random_uuid(), $1, $2, $3, $4, $5, 'main', $6, array[$6], $7, $8, 'of another set', now(), now() ${acme}`,
      [
        releaseId,
        repositoryId,
        written.number,
        written.url,
        `shipgate/evidence/${version}`,
        written.headSha,
        JSON.stringify(written.files),
        CANDIDATE,
      ],
    );
    for (const { kind: factKind, key, value } of release.observations()) {
      await client.query(
        `insert into observation (org_id, repository_id, kind, key, value, observed_at)
         select org_id, $1, $2, $3, $4, now() ${acme}`,
        [repositoryId, factKind, key, JSON.stringify(value)],
      );
    }
  });
  return releaseId;
}

export async function callMilestonesWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  const headers = { cookie, origin: PUBLIC_URL };
  const path = { id: randomUUID() };
  for (const operationId of OF_ONE) expect(await call(operationId, { of, headers, path })).toBe(503);
  const body = { repoId: randomUUID(), version: 'v1.0.0' };
  expect(await call('createRelease', { of, headers, body })).toBe(503);
}
