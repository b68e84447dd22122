import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenUsedUpLimit } from '../contract/given-used-up-limit.js';
import { junit } from '../support/ci-run.js';
import { givenLongWindows } from '../support/given-long-windows.js';
import { World } from '../support/world.js';
import { formOf, postForm } from './scene/report-form.js';
import { RepositoryScene } from './scene/repository-scene.js';
import { storedRows } from './scene/service-requests.js';

const VERSION = 'v1.0.0';

let world: World;
let payments: RepositoryScene;
let sha: string;

beforeAll(async () => {
  world = await World.start({ BILLING: 'off', RATE_LIMITS: 'on' });
  await givenLongWindows(world.databaseUrls);
  await world.install();
  payments = new RepositoryScene(world, { name: 'payments' });
  for (const { repository } of [payments, new RepositoryScene(world, { name: 'ledger' })]) {
    repository.milestones.create({ title: VERSION });
  }
  sha = payments.commit();
  await world.settle();
});
afterAll(() => world.stop());

/** What is left of the limit after an upload, or why it was refused. */
type Told = readonly [status: number, left: string | undefined];

const toldBy = ({ status, headers }: { readonly status: number; readonly headers: Headers }): Told => [
  status,
  /^"upload";r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1],
];

const form = async (bearer: string, repo: string): Promise<Told> =>
  toldBy(await postForm(world, bearer, formOf({ repo, version: VERSION, pipeline: 'build', commit_sha: sha })));

function json(bearer: string, repo: string): Promise<Told> {
  const files = [{ filename: 'junit.xml', content: junit(2) }];
  return sendJson(bearer, JSON.stringify({ repo, version: VERSION, pipeline: 'build', commit_sha: sha, files }));
}

async function sendJson(bearer: string, body: string): Promise<Told> {
  const response = await fetch(`${world.baseUrl}/api/evidence/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body,
  });
  return toldBy(response);
}

/** An API key, and the name by which what it spends for a repository is counted. */
async function givenKey(): Promise<{ key: string; limitOf: (repo: string) => string }> {
  const key = await world.key();
  const [row] = await world.asSuperuser<{ id: string }>('select id from api_key order by created_at desc limit 1');
  return { key, limitOf: (repo) => `upload:key:${row?.id}:${repo}` };
}

describe('uploads by an API key', () => {
  it('count for the repository that they name, as forms and as JSON alike', async () => {
    const { key } = await givenKey();
    expect([
      await form(key, 'acme/payments'),
      await json(key, 'payments'),
      await form(key, 'PAYMENTS'),
      await form(key, 'ledger'),
    ]).toEqual([
      [201, '299'],
      [201, '298'],
      [201, '297'],
      [201, '299'],
    ]);
  });

  it('are refused for the repository whose limit is used up, and leave nothing', async () => {
    const { key, limitOf } = await givenKey();
    await givenUsedUpLimit(world.databaseUrls, limitOf('payments'));
    const before = await storedRows(world);
    expect([await form(key, 'payments'), await json(key, 'payments')]).toEqual([
      [429, '0'],
      [429, '0'],
    ]);
    expect(await storedRows(world)).toEqual(before);
    expect(await form(key, 'ledger')).toEqual([201, '299']);
  });

  it('of a form that names no repository count for the key itself', async () => {
    const { key, limitOf } = await givenKey();
    expect(await form(key, 'no name')).toEqual([400, '299']);
    await givenUsedUpLimit(world.databaseUrls, limitOf(''));
    expect(await form(key, 'payments')).toEqual([201, '299']);
  });

  it('of JSON that cannot be read count for the key itself', async () => {
    const { key } = await givenKey();
    expect([await sendJson(key, '{'), await sendJson(key, '{}{')]).toEqual([
      [400, '299'],
      [400, '298'],
    ]);
    const other = await givenKey();
    await givenUsedUpLimit(world.databaseUrls, other.limitOf(''));
    expect(await sendJson(other.key, '{')).toEqual([429, '0']);
  });

  it('of a form that cannot be read count for the key itself, however many come', async () => {
    const { key } = await givenKey();
    const torn = async (): Promise<Told> =>
      toldBy(await postForm(world, key, '--b\r\n\r\n', { 'content-type': 'multipart/form-data; boundary=b' }));
    expect([await torn(), await torn()]).toEqual([
      [400, '299'],
      [400, '298'],
    ]);
    const other = await givenKey();
    await givenUsedUpLimit(world.databaseUrls, other.limitOf(''));
    const tornByOther = await postForm(world, other.key, '--b', { 'content-type': 'multipart/form-data; boundary=b' });
    expect(toldBy(tornByOther)).toEqual([429, '0']);
  });
});

it('a run is counted for JSON that cannot be read as well', async () => {
  const other = new RepositoryScene(world, { name: 'torn' });
  const run = other.run(other.commit());
  await world.settle();
  expect([await sendJson(await run.token(), '{'), await sendJson(await run.token(), '{')]).toEqual([
    [400, '299'],
    [400, '298'],
  ]);
});

it('a run uploads for its own repository, whatever its form says, and is refused before that is read', async () => {
  const bearer = await payments.run(sha).token();
  expect(await form(bearer, 'payments')).toEqual([201, '299']);
  await givenUsedUpLimit(world.databaseUrls, `upload:repository:${payments.repository.id}`);
  const other = payments.run(sha);
  for (let spent = 0; spent < 29; spent += 1) await form(await other.token(), 'ledger');
  expect(await form(await other.token(), 'ledger')).toEqual([429, '0']);
});
