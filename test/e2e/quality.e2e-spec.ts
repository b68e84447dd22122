import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkspaceRows } from '../support/workspace-rows.js';
import { givenQualityEvidence } from '../support/quality-rows.js';
import type { UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PrivateRepositoryScenario } from './scenarios/private-repository-scenario.js';

interface Group {
  readonly milestoneId: string;
  readonly repo: string;
  readonly version: string;
  readonly scorecard: {
    readonly score: number | null;
    readonly grade: string | null;
    readonly incomplete: readonly string[];
  };
  readonly change: unknown;
  readonly results: readonly {
    readonly type: string;
    readonly environment: string;
    readonly status: string;
    readonly decides: boolean;
    readonly createdAt: string;
  }[];
  readonly moreResults: number;
}

interface Body {
  readonly results: readonly Group[];
  readonly choices: Readonly<Record<'owners' | 'repos' | 'milestones' | 'types' | 'environments', readonly string[]>>;
  readonly pagination?: Readonly<Record<string, number>>;
}

const SHA = 'c'.repeat(40);

let env: TestEnvironment;
let rows: WorkspaceRows;
/** Can read `hushed` too. */
let reader: UserSession;
let outsider: UserSession;
let elsewhere: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  const scenario = await PrivateRepositoryScenario.in(env);
  ({ rows, reader, outsider, elsewhere } = scenario);
  const many = await rows.repository('Many');
  for (let at = 0; at < 60; at += 1) {
    const releaseId = await rows.release({ repositoryId: many, version: `v1.${at}.0` });
    // Two releases at each time, and every third release without evidence.
    if (at % 3 === 2) continue;
    await givenQualityEvidence(rows, {
      repositoryId: many,
      releaseId,
      environment: at % 2 === 0 ? 'staging' : 'ci',
      kind: at % 4 === 0 ? 'sast_scan' : 'unit_tests',
      receivedAt: `2026-01-01T00:${String(Math.floor(at / 4)).padStart(2, '0')}:00Z`,
    });
  }
  const mixed = await rows.repository('mixed');
  const apart = await rows.release({ repositoryId: mixed, version: 'v2.0.0' });
  const of = { repositoryId: mixed, releaseId: apart };
  await givenQualityEvidence(rows, { ...of, environment: 'production', kind: 'unit_tests' });
  await givenQualityEvidence(rows, { ...of, environment: 'preview', kind: 'coverage' });
  await givenQualityEvidence(rows, {
    repositoryId: scenario.privateRepo,
    releaseId: await rows.release({ repositoryId: scenario.privateRepo, version: 'v7.7.7' }),
    environment: 'bunker',
    kind: 'security',
  });
  // The first request enqueues the comparison of tests, which changes later responses.
  await read();
  await env.waitUntilIdle();
});
afterAll(() => env.stop());

const read = async (query = '', by = reader): Promise<Body> => {
  const { status, body } = await by.get(`/api/quality${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body as unknown as Body;
};
const versionsOf = ({ results }: Body): readonly string[] => results.map(({ version }) => version);

describe('the quality of releases', () => {
  it.each(['', '?repo=many', '?type=unit_tests&environment=staging', '?owner=ACME&repo=MANY&type=sast_scan'])(
    'is returned whole, and in pages with the same order: "%s"',
    async (query) => {
      const whole = await read(query);
      const ids = whole.results.map(({ milestoneId }) => milestoneId);
      expect(ids.length).toBeGreaterThan(5);
      expect(new Set(ids).size).toBe(ids.length);
      for (const pageSize of [10, 25, 50]) {
        const pages = Math.ceil(ids.length / pageSize);
        const paged: Group[] = [];
        for (let page = 1; page <= pages; page += 1) {
          const body = await read(`${query === '' ? '?' : `${query}&`}page=${page}&pageSize=${pageSize}`);
          expect(body.pagination).toEqual({ page, pageSize, total: ids.length, pages });
          expect(body.choices).toEqual(whole.choices);
          paged.push(...body.results);
        }
        // Only pages have the earlier scores, because they would repeat in the whole list.
        expect(paged).toEqual(whole.results.map((group) => ({ ...group, earlierScores: expect.any(Array) })));
        const beyond = await read(`${query === '' ? '?' : `${query}&`}page=${pages + 1}&pageSize=${pageSize}`);
        expect([beyond.results, beyond.pagination?.['total']]).toEqual([[], ids.length]);
      }
    },
  );

  it('omits releases without evidence, and sorts by the latest evidence, then by id', async () => {
    const { results } = await read('?repo=many');
    expect(results).toHaveLength(40);
    const received = results.map(({ milestoneId, results: [newest] }) => ({
      at: newest?.createdAt ?? '',
      milestoneId,
    }));
    expect(received).toEqual(
      received.toSorted((a, b) => b.at.localeCompare(a.at) || (a.milestoneId < b.milestoneId ? -1 : 1)),
    );
  });

  it('shows each release with its scorecard and its results', async () => {
    const [group] = (await read('?repo=mixed')).results;
    expect(group).toEqual({
      milestoneId: expect.any(String),
      org: 'acme',
      repoId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      repo: 'mixed',
      version: 'v2.0.0',
      stage: 'DEPLOYMENT',
      scorecard: {
        score: 79.9,
        grade: 'C',
        categories: expect.any(Array),
        incomplete: ['sast', 'vulnerabilities', 'completeness'],
        caps: [{ grade: 'C', reason: 'It is not known what the policy requires.' }],
      },
      change: null,
      flaky: null,
      comparison: 'unknown',
      results: [
        expect.objectContaining({ type: 'coverage', environment: 'preview', status: 'passed', decides: true }),
        expect.objectContaining({
          evidenceId: expect.any(String),
          type: 'unit_tests',
          environment: 'production',
          pipeline: 'ci',
          commitSha: SHA,
          metrics: { unit_tests: { total: 3, passed: 3, failed: 0, skipped: 0 } },
          status: 'passed',
          decides: true,
          createdAt: '2026-02-01T00:00:00.000Z',
        }),
      ],
      moreResults: 0,
    });
  });

  it('filters complete groups that have one result with both the type and the environment', async () => {
    for (const query of ['?type=unit_tests&environment=production', '?type=coverage', '?environment=preview']) {
      const { results } = await read(`${query}&repo=mixed`);
      expect([query, results.map(({ results: all }) => all.length)]).toEqual([query, [2]]);
    }
    expect((await read('?type=unit_tests&environment=preview&repo=mixed')).results).toEqual([]);
    expect((await read('?type=security&repo=mixed')).results).toEqual([]);
  });

  it.each([
    ['?milestone=v2.0.0', ['v2.0.0']],
    ['?milestone=v2.0', []],
    ['?milestone=V2.0.0', []],
    ['?owner=nobody', []],
    ['?repo=m%2Exed', []],
    ['?environment=Production', []],
  ])('matches a filter exactly except for the letter case of names: %s', async (query, versions) => {
    expect(versionsOf(await read(query))).toEqual(versions);
    const page = await read(`${query}&page=1`);
    expect([versionsOf(page), page.pagination?.['total']]).toEqual([versions, versions.length]);
  });

  it('names the filter options, whatever the filter is', async () => {
    const all = await read();
    expect(all.choices).toMatchObject({
      owners: ['acme'],
      repos: ['hushed', 'Many', 'mixed'],
      types: ['coverage', 'sast_scan', 'security', 'unit_tests'],
      environments: ['bunker', 'ci', 'preview', 'production', 'staging'],
    });
    const { milestones } = all.choices;
    expect(milestones.slice(0, 3)).toEqual(['v7.7.7', 'v2.0.0', 'v1.58.0']);
    expect(milestones).toHaveLength(42);
    for (const query of ['?repo=mixed', '?page=9', '?owner=nobody&page=1']) {
      expect((await read(query)).choices).toEqual(all.choices);
    }
  });

  it('is computed from existing results, and missing ones count neither as good nor as bad', async () => {
    const { results } = await read('?type=sast_scan&repo=many&page=1');
    // The evidence is only a scan. Without a test no gate opens.
    for (const { scorecard } of results) {
      expect([scorecard.score, scorecard.grade]).toEqual([79.9, 'C']);
      expect(scorecard.incomplete).toContain('tests');
    }
  });

  it('shows all results that count and 200 of the others', async () => {
    const repositoryId = await rows.repository('crowded');
    const releaseId = await rows.release({ repositoryId, version: 'v1.0.0' });
    const of = { repositoryId, releaseId, environment: 'ci' };
    await givenQualityEvidence(rows, { ...of, kind: 'unit_tests', commitSha: SHA });
    await givenQualityEvidence(rows, { ...of, kind: 'unit_tests', commitSha: 'd'.repeat(40), times: 205 });
    const [group] = (await read('?repo=crowded')).results;
    expect(group?.results).toHaveLength(201);
    expect(group?.results.at(-1)).toMatchObject({ decides: true });
    expect(group?.moreResults).toBe(5);
    expect(group?.scorecard.score).toBe(79.9);
  });
});

describe('results=none', () => {
  it.each(['', '?page=1&pageSize=50', '?type=unit_tests&repo=many'])(
    'leaves out the results and counts them, and changes nothing else: "%s"',
    async (query) => {
      // Waits for the comparisons that the first request starts, before the two responses are compared.
      await read(query);
      await env.waitUntilIdle();
      const [all, none] = [await read(query), await read(`${query === '' ? '?' : `${query}&`}results=none`)];
      const listed = all.results.reduce((sum, { results }) => sum + results.length, 0);
      expect(listed).toBeGreaterThan(0);
      expect(none).toEqual({
        ...all,
        results: all.results.map(({ results, moreResults, ...group }) => ({
          ...group,
          results: [],
          moreResults: moreResults + results.length,
        })),
      });
      expect(await read(`${query === '' ? '?' : `${query}&`}results=all`)).toEqual(all);
    },
  );

  it('shows nothing of a private repository to users who cannot read it, nor of another workspace', async () => {
    expect(JSON.stringify(await read('?results=none', outsider))).not.toMatch(/hushed|bunker/);
    expect((await read('?results=none&page=1', elsewhere)).results).toEqual([]);
  });
});

describe('the quality of a private repository', () => {
  it('is neither listed, counted nor offered to users who cannot read it', async () => {
    for (const query of [
      '',
      '?page=1&pageSize=50',
      '?repo=hushed',
      '?environment=bunker&page=1',
      '?milestone=v7.7.7',
    ]) {
      const [visible, hidden] = [await read(query), await read(query, outsider)];
      expect([query, visible.choices.repos.includes('hushed')]).toEqual([query, true]);
      expect([query, /hushed|bunker|v7\.7\.7/.test(JSON.stringify(hidden))]).toEqual([query, false]);
      expect([query, hidden.choices.types]).toEqual([query, ['coverage', 'sast_scan', 'unit_tests']]);
      expect([query, (visible.pagination?.['total'] ?? 0) - (hidden.pagination?.['total'] ?? 0)]).toEqual([
        query,
        visible.pagination ? 1 : 0,
      ]);
    }
  });

  it('is hidden from other workspaces', async () => {
    const choices = { owners: [], repos: [], milestones: [], types: [], environments: [] };
    expect(await read('', elsewhere)).toEqual({ choices, results: [] });
    expect(await read('?owner=acme&repo=many&page=1', elsewhere)).toEqual({
      results: [],
      choices,
      pagination: { page: 1, pageSize: 25, total: 0, pages: 1 },
    });
  });
});

describe('the filter options', () => {
  it('contain all types and the first thousand environments, however many a type has', async () => {
    const { results } = await read('?repo=mixed');
    await rows.write(
      `insert into evidence_facet (org_id, repository_id, release_id, kind, environment)
       select r.org_id, r.repository_id, r.id, 'coverage', 'pull-' || n
       from release r, generate_series(1, 1_100) n where r.id = $1`,
      [results[0]?.milestoneId],
    );
    const { choices } = await read('?page=1', outsider);
    expect(choices.types).toEqual(['coverage', 'sast_scan', 'unit_tests']);
    expect(choices.environments).toHaveLength(1_000);
    expect(choices.environments.slice(0, 3)).toEqual(['ci', 'preview', 'production']);
  });

  it('contain the newest thousand versions, followed by other titles', async () => {
    const repositoryId = await rows.repository('odd');
    const evidencedAt = '2026-01-05T00:00:00Z';
    for (const version of ['v9999999999.0.0', '\u{10ffff}', 'build', 'v3.0.0-rc.1', 'v3.0.0']) {
      const id = await rows.release({ repositoryId, version });
      await rows.write('update release set evidence_at = $2 where id = $1', [id, evidencedAt]);
    }
    const { milestones } = (await read('?page=1', outsider)).choices;
    expect(milestones.slice(0, 4)).toEqual(['v9999999999.0.0', 'v3.0.0', 'v3.0.0-rc.1', 'v2.0.0']);
    expect(milestones.slice(-2)).toEqual(['\u{10ffff}', 'build']);
    await rows.write(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, created_at, updated_at, evidence_at)
       select org_id, gen_random_uuid(), id, 'v4.' || n || '.0', 2e9 + n, 2e9 + n, '', '', $2, $2, $2
       from repository, generate_series(0, 1_099) n where id = $1`,
      [repositoryId, evidencedAt],
    );
    const newest = (await read('?page=1', outsider)).choices.milestones;
    expect([newest.length, newest[1], newest.at(-1)]).toEqual([1_000, 'v4.1099.0', 'v4.101.0']);
  });
});

describe('a parameter of the quality', () => {
  it.each([
    'owner=',
    'owner=a%20b',
    `owner=${'x'.repeat(101)}`,
    'owner=acme&owner=acme',
    'repo=',
    'repo=acme/many',
    'repo[]=many',
    'milestone=',
    'milestone=%00',
    `milestone=${'1'.repeat(101)}`,
    'milestone=v1.0.0&milestone=v1.0.0',
    'results=',
    'results=some',
    'results=all&results=none',
    'type=',
    'type=tests',
    'type=unit_tests&type=coverage',
    'environment=',
    'environment=a%0Ab',
    `environment=${'x'.repeat(101)}`,
    'search=many',
    'page=0',
    'page=100001',
    'page=',
    'pageSize=20',
  ])('cannot be %s, in either form', async (query) => {
    for (const shape of query.includes('page') ? [''] : ['', '&page=1']) {
      expect(await reader.get(`/api/quality?${query}${shape}`)).toMatchObject({
        status: 400,
        body: { error: expect.any(String) },
      });
    }
  });
});
