import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import { policyWith, pull, valid } from '../support/given-facts.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const REVIEWER = 5900;
const PAGES: readonly Readonly<Record<string, string>>[] = [
  {},
  ...['10', '25', '50'].map((pageSize) => ({ pageSize })),
  ...['1', '2', '100000'].map((page) => ({ page })),
];
const SCOPES: readonly Readonly<Record<string, string>>[] = [
  {},
  { scope: 'mine' },
  { scope: 'workspace' },
  { eligibility: 'unknown' },
  { scope: 'mine', eligibility: 'ineligible', search: 'acme/reviewed' },
];
const REFUSED: readonly Readonly<Record<string, string>>[] = [
  { page: '0' },
  { pageSize: '20' },
  { scope: 'all' },
  { scope: '' },
  { eligibility: 'mine' },
  { search: '' },
  { scope: 'all', page: '1' },
  { x: '\u0000' },
];

/**
 * Provokes every documented response about reviews. GitHub is unavailable here, so live responses contain unknown
 * values.
 */
export async function callReviews(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const id = await giveReview(database);
  const session = async (...who: readonly [role: 'member' | null, userId?: number]): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, ...who), origin: PUBLIC_URL },
    path: { id },
  });
  const [reviewer, another, outsider] = [
    await session('member', REVIEWER),
    await session('member'),
    await session(null),
  ];
  for (const member of [reviewer, another]) {
    for (const scope of SCOPES) {
      for (const page of PAGES) {
        expect(await call('listPendingReviews', { ...member, query: { ...scope, ...page } })).toBe(200);
      }
    }
    expect(await call('getReview', member)).toBe(200);
    expect(await call('getReviewBrief', member)).toBe(200);
    expect(await call('countWaiting', member)).toBe(200);
  }
  for (const query of REFUSED) expect(await call('listPendingReviews', { ...reviewer, query })).toBe(400);
  expect(await call('countWaiting', { ...reviewer, query: { x: '\u0000' } })).toBe(400);
  for (const operationId of ['getReview', 'getReviewBrief']) {
    expect(await call(operationId, { ...reviewer, query: { x: '\u0000' } })).toBe(400);
    expect(await call(operationId, { ...reviewer, path: { id: randomUUID() } })).toBe(404);
    expect(await call(operationId, { ...reviewer, path: { id: 'v1.4.0' } })).toBe(404);
  }
  for (const operationId of ['listPendingReviews', 'getReview', 'getReviewBrief', 'countWaiting']) {
    expect(await call(operationId, { of, path: { id } })).toBe(401);
    expect(await call(operationId, outsider)).toBe(403);
  }
}

/** Creates a release with fresh facts whose evidence waits for the reviewer's approval. Returns its id. */
async function giveReview({ superuserUrl }: TestDatabase): Promise<string> {
  const [releaseId, repositoryId] = [randomUUID(), randomUUID()];
  const acme = `from organization where login = 'acme'`;
  await withDedicatedClient(superuserUrl, async (client) => {
    await client.query(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       select org_id, $1, 4003, 'reviewed', false, 'main', now(), now() ${acme}`,
      [repositoryId],
    );
    await client.query(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, stage, created_at, updated_at)
       select org_id, $1, $2, 'v1.4.0', 7100, 1, 'v1.4.0', 'https://github.com/acme/reviewed/milestone/1', 'EVIDENCING',
         now(), now() ${acme}`,
      [releaseId, repositoryId],
    );
    await client.query(
      `insert into evidence_pull_request (org_id, id, release_id, repository_id, number, url, branch, base_ref, head_sha,
         commit_shas, files, candidate_sha, evidence_set_digest, opened_at, updated_at)
       select org_id, $1, $2, $3, 7, 'https://github.com/acme/reviewed/pull/7', 'shipgate/evidence/v1.4.0', 'main',
         'e', '{}', '[]', 'c', 's', now(), now() ${acme}`,
      [randomUUID(), releaseId, repositoryId],
    );
    const facts = [
      ['policy', '', valid(policyWith())],
      ['pull', '7', pull()],
      ['permission', `person-${REVIEWER}`, { userId: REVIEWER, level: 'write' }],
    ] as const;
    for (const [kind, key, value] of facts) {
      await client.query(
        `insert into observation (org_id, repository_id, kind, key, value, observed_at)
         select org_id, $1, $2, $3, $4, now() ${acme}`,
        [repositoryId, kind, key, JSON.stringify(value)],
      );
    }
    await client.query(`update release set pull_number = 7, pull_state = 'open', pull_seen_at = now() where id = $1`, [
      releaseId,
    ]);
  });
  return releaseId;
}

export async function callReviewsWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  for (const operationId of ['listPendingReviews', 'getReview', 'getReviewBrief', 'countWaiting']) {
    expect(await call(operationId, { of, headers: { cookie }, path: { id: randomUUID() } })).toBe(503);
  }
}
