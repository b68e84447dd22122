import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import { CANDIDATE } from '../support/given-facts.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const FILTERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { owner: 'ACME', repo: 'measured' },
  { milestone: 'v2.0.0' },
  { type: 'unit_tests', environment: 'staging' },
  { repo: 'nothing' },
  { results: 'none' },
  { results: 'all', repo: 'measured' },
];
const PAGES: readonly Readonly<Record<string, string>>[] = [
  {},
  { pageSize: '10' },
  { page: '1', pageSize: '50' },
  { page: '100000' },
];
const REFUSED: readonly Readonly<Record<string, string>>[] = [
  { page: '0' },
  { pageSize: '20' },
  { type: 'tests' },
  { repo: 'acme/measured' },
  { environment: '' },
  { results: '' },
  { results: 'some' },
  { x: '\u0000' },
];

/** Provokes every documented response about the quality of releases. */
export async function callQuality(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  await giveMeasuredReleases(database);
  const [member, outsider] = [await session('member'), await session(null)];
  for (const filter of FILTERS) {
    for (const page of PAGES) expect(await call('listQuality', { ...member, query: { ...filter, ...page } })).toBe(200);
  }
  for (const query of REFUSED) expect(await call('listQuality', { ...member, query })).toBe(400);
  expect(await call('listQuality', { of })).toBe(401);
  expect(await call('listQuality', outsider)).toBe(403);
}

/** Adds a release that follows a shipped one, with evidence inside and outside of the effective evidence set. */
const giveMeasuredReleases = ({ superuserUrl }: TestDatabase): Promise<unknown> =>
  withDedicatedClient(superuserUrl, (client) =>
    client.query(`
      with made as (
        insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
        select org_id, gen_random_uuid(), 4715, 'measured', false, 'main', now(), now() from organization where login = 'acme'
        returning org_id, id),
      released as (
        insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
          milestone_url, stage, candidate_sha, candidate_shas, shipped_at, shipped, shipped_scorecard, evidence_at,
          created_at, updated_at)
        select org_id, gen_random_uuid(), id, version, 7700 + at, at, version,
          'https://github.com/acme/measured/milestone/' || at, stage, '${CANDIDATE}', array['${CANDIDATE}'],
          case at when 1 then now() end, case at when 1 then '{"linePercent": 80}'::jsonb end,
          case at when 1 then '{"score": 90.5, "grade": "A", "categories": [], "incomplete": [], "caps": []}'::jsonb end,
          now(), now(), now()
        from made, unnest(array['v1.0.0', 'v2.0.0'], array['DEPLOYED', 'TESTING'])
          with ordinality as given (version, stage, at)
        returning org_id, id, repository_id, version),
      recorded as (
        insert into deployment_record (org_id, id, repository_id, release_id, version, kind, commit_sha, environment,
          deployed_at, approvers, recorded_at, score)
        select org_id, gen_random_uuid(), repository_id, id, version, 'release', '${CANDIDATE}', 'production', now(),
          '[]', now(), 90.5 from released where version = 'v1.0.0'),
      noted as (
        insert into evidence_facet (org_id, repository_id, release_id, kind, environment)
        select org_id, repository_id, id, kind, 'staging' from released, unnest(array['unit_tests', 'coverage', 'sbom']) kind)
      insert into evidence (org_id, id, release_id, repository_id, pipeline, environment, job, commit_sha, commit_source,
        uploaded_by, items, metrics, reports, flags, sha256, received_at)
      select org_id, gen_random_uuid(), id, repository_id, 'ci', 'staging', job, sha, 'stated', '{}', '[
          {"kind": "unit_tests", "metrics": {"unit_tests": {"total": 3, "passed": 2, "failed": 1, "skipped": 0}}, "failures": []},
          {"kind": "coverage", "metrics": {"coverage": {"line_percent": 81.5, "branch_percent": null}}, "failures": []},
          {"kind": "sbom", "metrics": {}, "failures": []}]',
        '{}', '[]', '[]', sha, now()
      from released, unnest(array['a', 'b'], array['${CANDIDATE}', '${'0'.repeat(40)}']) as uploaded (job, sha)`),
  );

export async function callQualityWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  expect(await call('listQuality', { of, headers: { cookie } })).toBe(503);
}
