import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenRecord } from '../support/history-rows.js';
import { readWorkbook } from '../support/read-workbook.js';
import type { UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PrivateRepositoryScenario } from './scenarios/private-repository-scenario.js';

const FORMATS = ['csv', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];
/** More than a page contains, and more than the service reads at once. */
const RECORDS = 260;
const FORMULAS = ['=1+1', '+1', '-1', '@A1', '\t=1', '＝1+1', 'a;=1+1'];

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
  for (let at = 0; at < RECORDS; at += 1) {
    await givenRecord(rows, {
      repositoryId: many,
      version: `v1.${at}.0`,
      kind: at % 2 === 0 ? 'release' : 'ungoverned',
      environment: at % 3 === 0 ? 'Live' : 'production',
      deployedAt: `2026-01-01T${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}:00Z`,
      note: FORMULAS[at] ?? null,
    });
  }
  await givenRecord(rows, {
    repositoryId: many,
    version: null,
    kind: 'ungoverned',
    deployedAt: '2026-02-01T12:00:00Z',
  });
  await givenRecord(rows, {
    repositoryId: privateRepo,
    version: 'v7.7.7',
    environment: 'bunker',
    deployedAt: '2026-02-02T12:00:00Z',
  });
});
afterAll(() => env.stop());

const request = (query: string, by = reader): Promise<Response> =>
  fetch(`${env.baseUrl}/api/history/export?${query}`, { headers: { cookie: by.cookie } });

const download = async (format: Format, query = '', by = reader): Promise<Buffer> => {
  const response = await request(`format=${format}${query}`, by);
  expect([format, query, response.status]).toEqual([format, query, 200]);
  return Buffer.from(await response.arrayBuffer());
};

/** The ids of the records in a file, in its order. */
const idsIn: Readonly<Record<Format, (file: Buffer) => Promise<readonly unknown[]> | readonly unknown[]>> = {
  // The id is the last field and contains no comma.
  csv: (file) =>
    file
      .toString('utf8')
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',').at(-1)),
  xlsx: async (file) => {
    const { sheets } = await readWorkbook(file);
    expect(sheets.map(({ name }) => name)).toEqual(['Deployments']);
    return (sheets[0]?.rows ?? []).map((row) => row['Deployment id']);
  },
};

async function listed(query = '', by = reader): Promise<readonly string[]> {
  const { body } = await by.get(`/api/history?${query}`);
  return (body as { history: readonly { id: string }[] }).history.map(({ id }) => id);
}

describe.each(FORMATS)('an export of the history as %s', (format) => {
  it.each([
    '',
    '&repository=ACME/many',
    '&from=2026-01-01&to=2026-01-01',
    '&kind=ungoverned&environment=live',
    '&search=v1.25',
    '&repository=acme/nothing',
  ])('contains every deployment of the list, in the same order: "%s"', async (query) => {
    expect(await idsIn[format](await download(format, query))).toEqual(await listed(query));
  });

  it('contains all deployments, not only a page', async () => {
    expect(await idsIn[format](await download(format))).toHaveLength(RECORDS + 2);
  });

  it('contains nothing of a private repository for users who cannot read it', async () => {
    const file = await download(format, '', outsider);
    expect(await idsIn[format](file)).toHaveLength(RECORDS + 1);
    for (const query of ['&search=hushed', '&environment=bunker', '&repository=acme/hushed'])
      expect([query, await idsIn[format](await download(format, query, outsider))]).toEqual([query, []]);
    expect(await idsIn[format](await download(format, '&search=hushed'))).toHaveLength(1);
  });

  it('contains nothing of another workspace', async () => {
    expect(await idsIn[format](await download(format, '', elsewhere))).toEqual([]);
    expect(await idsIn[format](await download(format, '&repository=acme/many', elsewhere))).toEqual([]);
  });

  it('has a descriptive file name and its own content type, and is not cached', async () => {
    const { headers } = await request(`format=${format}`);
    const day = env.clock.now().toISOString().slice(0, 10);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="shipgate-history-acme-${day}.${format}"`);
    expect(headers.get('content-type')).toBe(
      {
        csv: 'text/csv; charset=utf-8',
        xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      }[format],
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    'page=1',
    'pageSize=25',
    'from=2026-02-29',
    'from=2026-05-05&to=2026-05-04',
    'repository=many',
    'kind=again',
    'environment=',
    'search=',
    'format=csv',
  ])('cannot be requested with %s', async (query) => {
    const response = await request(`format=${format}&${query}`);
    expect([response.status, await response.json()]).toEqual([400, { error: expect.any(String) }]);
    expect(response.headers.get('content-disposition')).toBeNull();
  });
});

describe('an export of the history', () => {
  it('has the values of each deployment, and empty cells where there are none', async () => {
    const { sheets } = await readWorkbook(await download('xlsx', '&from=2026-02-01&to=2026-02-01'));
    expect(sheets[0]?.rows).toMatchObject([
      {
        'Deployed (UTC)': new Date('2026-02-01T12:00:00Z'),
        Organization: 'acme',
        Repository: 'Many',
        Version: null,
        Kind: 'ungoverned',
        Environment: 'production',
        'Deployed by': 'ada',
        Source: 'GitHub',
        Run: null,
        Approvers: null,
        Score: null,
        'Lead time (s)': null,
        Overrides: null,
        Note: null,
        Commit: 'c'.repeat(40),
        'Release id': null,
        'Decision id': null,
      },
    ]);
  });

  it('puts an apostrophe before text that a spreadsheet would compute', async () => {
    const csv = (await download('csv')).toString('utf8');
    const { sheets } = await readWorkbook(await download('xlsx'));
    const notes = (sheets[0]?.rows ?? []).map(({ Note: note }) => note).filter((note) => note !== null);
    expect(notes).toEqual(FORMULAS.toReversed().map((text) => (text.startsWith('a') ? text : `'${text}`)));
    for (const text of FORMULAS.filter((formula) => !/[\t;]/.test(formula))) expect(csv).toContain(`,'${text},`);
    expect(csv).toContain(",a;'=1+1,");
  });

  it.each(['', 'format=', 'format=html', 'format=CSV', 'format[]=csv'])('has no other format: "%s"', async (query) => {
    expect((await request(query)).status).toBe(400);
  });

  it('requires a session of a member', async () => {
    const response = await fetch(`${env.baseUrl}/api/history/export?format=csv`);
    expect([response.status, await response.json()]).toEqual([401, { error: expect.any(String) }]);
  });
});
