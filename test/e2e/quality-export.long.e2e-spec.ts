import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenQualityEvidence } from '../support/quality-rows.js';
import { readWorkbook } from '../support/read-workbook.js';
import type { UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PrivateRepositoryScenario } from './scenarios/private-repository-scenario.js';

const FORMATS = ['csv', 'html', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];
/** More than a page contains, and more than the service reads at once. */
const RELEASES = 70;

let env: TestEnvironment;
/** Can read `hushed` too. */
let reader: UserSession;
let outsider: UserSession;
let elsewhere: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  const scenario = await PrivateRepositoryScenario.in(env);
  ({ reader, outsider, elsewhere } = scenario);
  const { rows, privateRepo } = scenario;
  const many = await rows.repository('Many');
  for (let at = 0; at < RELEASES; at += 1) {
    await givenQualityEvidence(rows, {
      repositoryId: many,
      releaseId: await rows.release({ repositoryId: many, version: at === 7 ? '=1+1' : `v1.${at}.0` }),
      environment: at % 2 === 0 ? 'staging' : '<img src=x>',
      kind: at % 4 === 0 ? 'sast_scan' : 'unit_tests',
      receivedAt: `2026-01-01T00:${String(Math.floor(at / 4)).padStart(2, '0')}:00Z`,
      times: (at % 3) + 1,
    });
  }
  await givenQualityEvidence(rows, {
    repositoryId: privateRepo,
    releaseId: await rows.release({ repositoryId: privateRepo, version: 'v7.7.7' }),
    environment: 'bunker',
    kind: 'security',
  });
});
afterAll(() => env.stop());

const request = (query: string, by = reader): Promise<Response> =>
  fetch(`${env.baseUrl}/api/quality/export?${query}`, { headers: { cookie: by.cookie } });

/** The versions in a file, one for each release and in their order, without the apostrophes. */
const versionsIn: Readonly<Record<Format, (file: Buffer) => Promise<readonly string[]> | readonly string[]>> = {
  // No field here contains a comma or a line break.
  csv: (file) =>
    runs(
      file
        .toString('utf8')
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[2] ?? ''),
    ),
  html: (file) =>
    [...file.toString('utf8').matchAll(/href="#r-[^"]+"><bdi>([^<]+)/g)].map(([, version]) => version ?? ''),
  xlsx: async (file) => {
    const { sheets } = await readWorkbook(file);
    const rows = sheets.find(({ name }) => name === 'Releases')?.rows ?? [];
    return rows.map(({ Version: version }) => String(version).replace(/^'/, ''));
  },
};

/** Removes repetitions of the value before. */
const runs = (of: readonly string[]): readonly string[] =>
  of.map((version) => version.replace(/^'/, '')).filter((version, at, all) => version !== all[at - 1]);

async function exported(format: Format, query = '', by = reader): Promise<readonly string[]> {
  const response = await request(`format=${format}${query}`, by);
  expect([format, query, response.status]).toEqual([format, query, 200]);
  return versionsIn[format](Buffer.from(await response.arrayBuffer()));
}

async function listed(query = '', by = reader): Promise<readonly string[]> {
  const { body } = await by.get(`/api/quality?${query}`);
  return (body as { results: readonly { version: string }[] }).results.map(({ version }) => version);
}

describe.each(FORMATS)('an export as %s', (format) => {
  it.each(['', '&repo=MANY', '&type=unit_tests&environment=staging', '&milestone=%3D1%2B1', '&owner=nobody'])(
    'contains every release of the list, in the same order: "%s"',
    async (query) => {
      expect(await exported(format, query)).toEqual(await listed(query));
    },
  );

  it('contains all releases, not only a page', async () => {
    expect(await exported(format)).toHaveLength(RELEASES + 1);
  });

  it('contains nothing of a private repository for users who cannot read it', async () => {
    for (const query of ['', '&repo=hushed', '&environment=bunker']) {
      expect(await exported(format, query, outsider)).toEqual(await listed(query, outsider));
    }
    const response = await request(`format=${format}`, outsider);
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    expect(['hushed', 'bunker', 'v7.7.7'].filter((secret) => text.includes(secret))).toEqual([]);
    expect(await exported(format, '&repo=hushed')).toEqual(['v7.7.7']);
  });

  it('contains nothing of another workspace', async () => {
    expect(await exported(format, '', elsewhere)).toEqual([]);
    expect(await exported(format, '&owner=acme', elsewhere)).toEqual([]);
  });

  it('has a descriptive file name, is not cached, and is no page of the service', async () => {
    const { headers } = await request(`format=${format}`);
    const day = env.clock.now().toISOString().slice(0, 10);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="shipgate-quality-acme-${day}.${format}"`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(headers.get('content-security-policy')).not.toMatch(/script|unsafe|\*|http/);
  });

  it.each([
    'page=1',
    'pageSize=25',
    'repo=acme/many',
    'repo=',
    'repo=a&repo=b',
    'type=tests',
    'environment=',
    'milestone=%00',
    `environment=${'x'.repeat(101)}`,
    'search=many',
    'results=none',
    'format=csv',
  ])('cannot be requested with %s', async (query) => {
    const response = await request(`format=${format}&${query}`);
    expect([response.status, await response.json()]).toEqual([400, { error: expect.any(String) }]);
    expect(response.headers.get('content-disposition')).toBeNull();
  });
});

describe('an export', () => {
  it('is a conflict if its link is for another workspace than that of the session', async () => {
    expect((await request('format=csv&workspace=acme')).status).toBe(200);
    for (const format of FORMATS) expect((await request(`format=${format}&workspace=globex`)).status).toBe(409);
    expect((await request('format=csv&workspace=')).status).toBe(400);
  });

  it('has its own content types', async () => {
    const types = await Promise.all(
      FORMATS.map(async (format) => (await request(`format=${format}`)).headers.get('content-type')),
    );
    expect(types).toEqual([
      'text/csv; charset=utf-8',
      'text/html; charset=utf-8',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ]);
  });

  it.each(['', 'format=', 'format=pdf', 'format=CSV', 'format[]=csv'])('has no other format: "%s"', async (query) => {
    expect((await request(query)).status).toBe(400);
  });

  it('prevents that foreign text is computed or used as markup', async () => {
    const [csv, html] = await Promise.all(
      ['csv', 'html'].map(async (format) => (await request(`format=${format}`)).text()),
    );
    expect(csv).toContain(",'=1+1,");
    expect(csv).not.toMatch(/[,\n][=+@]/);
    expect(html).toContain('<bdi>&lt;img src=x&gt;</bdi>');
    expect(html).not.toContain('<img');
  });

  it('requires a session of a member', async () => {
    const response = await fetch(`${env.baseUrl}/api/quality/export?format=csv`);
    expect([response.status, await response.json()]).toEqual([401, { error: expect.any(String) }]);
  });
});
