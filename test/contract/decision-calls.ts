import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { toStoredInputs, toStoredVerdict } from '../../src/domain/release/replay.js';
import type { TestDatabase } from '../support/database.js';
import { brokenGlass } from '../support/given-overrides.js';
import { CANDIDATE } from '../support/given-facts.js';
import { givenOpenRelease } from '../support/release-builder.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const NUL = { x: '\u0000' };
const OPERATIONS = ['listDecisions', 'getDecision', 'replayDecision'] as const;
const NOWHERE = { id: randomUUID(), decisionId: randomUUID() };

/** Provokes every documented response about the decisions of a release. */
export async function callDecisions(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await session('member'), await session(null)];
  const path = await givenDecision(database);
  for (const operationId of OPERATIONS) {
    expect(await call(operationId, { ...member, path })).toBe(200);
    expect(await call(operationId, { ...member, path, query: NUL })).toBe(400);
    expect(await call(operationId, { of, path })).toBe(401);
    expect(await call(operationId, { ...outsider, path })).toBe(403);
    expect(await call(operationId, { ...member, path: NOWHERE })).toBe(404);
  }
  for (const query of [{ page: '1' }, { pageSize: '10' }, { page: '7', pageSize: '50' }]) {
    expect(await call('listDecisions', { ...member, path, query })).toBe(200);
  }
  expect(await call('listDecisions', { ...member, path, query: { page: '0' } })).toBe(400);
}

export async function callDecisionsWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  const headers = { cookie, origin: PUBLIC_URL };
  for (const operationId of OPERATIONS) expect(await call(operationId, { of, headers, path: NOWHERE })).toBe(503);
}

/** Creates a release with a decision whose gate is open because of break-glass. */
async function givenDecision({ superuserUrl }: TestDatabase): Promise<{ id: string; decisionId: string }> {
  const [id, decisionId, repositoryId] = [randomUUID(), randomUUID(), randomUUID()];
  const release = givenOpenRelease()
    .know('reviews', '7', [])
    .decided({ breakGlasses: [brokenGlass({ id: randomUUID() })] });
  await withDedicatedClient(superuserUrl, async (client) => {
    await client.query(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       select org_id, $1, 4712, 'decided', false, 'main', now(), now() from organization where login = 'acme'`,
      [repositoryId],
    );
    await client.query(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, created_at, updated_at)
       select org_id, $1, $2, 'v1.0.0', 501, 5, 'v1.0.0', 'https://github.com/acme/decided/milestone/5', now(), now()
       from organization where login = 'acme'`,
      [id, repositoryId],
    );
    await client.query(
      `insert into decision (org_id, id, release_id, at, open, candidate_sha, policy_digest, verdict, inputs)
       select org_id, $1, $2, now(), true, $3, null, $4, $5 from organization where login = 'acme'`,
      [
        decisionId,
        id,
        CANDIDATE,
        JSON.stringify(toStoredVerdict(release.verdict())),
        JSON.stringify(toStoredInputs(release.inputs())),
      ],
    );
  });
  return { id, decisionId };
}
