import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenUsedUpLimit } from '../contract/given-used-up-limit.js';
import { junit } from '../support/ci-run-client.js';
import { givenLongWindows } from '../support/given-long-windows.js';
import { TestEnvironment } from '../support/test-environment.js';
import { formOf, postForm } from './scenarios/report-form.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { countStoredRows } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';

let env: TestEnvironment;
let payments: RepositoryScenario;
let idle: RepositoryScenario;
let sha: string;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off', RATE_LIMITS: 'on' });
  await givenLongWindows(env.databaseUrls);
  await env.install();
  payments = new RepositoryScenario(env, { name: 'payments' });
  idle = new RepositoryScenario(env, { name: 'idle' });
  for (const { repository } of [payments, idle, new RepositoryScenario(env, { name: 'ledger' })]) {
    repository.milestones.create({ title: VERSION });
  }
  sha = payments.commit();
  await env.waitUntilIdle();
});
afterAll(() => env.stop());

/** The status of an upload, and the number of uploads that are left. */
type LimitResult = readonly [status: number, left: string | undefined];

const limitResultOf = ({ status, headers }: { readonly status: number; readonly headers: Headers }): LimitResult => [
  status,
  /^"upload";r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1],
];

const form = async (bearer: string, repo: string): Promise<LimitResult> =>
  limitResultOf(await postForm(env, bearer, formOf({ repo, version: VERSION, pipeline: 'build', commit_sha: sha })));

function json(bearer: string, repo: string): Promise<LimitResult> {
  const files = [{ filename: 'junit.xml', content: junit(2) }];
  return sendJson(bearer, JSON.stringify({ repo, version: VERSION, pipeline: 'build', commit_sha: sha, files }));
}

async function sendJson(bearer: string, body: string): Promise<LimitResult> {
  const response = await fetch(`${env.baseUrl}/api/evidence/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body,
  });
  return limitResultOf(response);
}

describe('uploads by an API key', () => {
  it('count for the repository that they name, as forms and as JSON, with any key', async () => {
    const [key, another] = [await env.key(), await env.key()];
    const first = Number((await form(key, 'acme/payments'))[1]);
    expect([await json(key, 'payments'), await form(another, 'PAYMENTS'), await form(key, 'ledger')]).toEqual([
      [201, String(first - 1)],
      [201, String(first - 2)],
      [201, '299'],
    ]);
  });

  it('are rejected for a repository whose limit is used up, and store nothing', async () => {
    const key = await env.key();
    await givenUsedUpLimit(env.databaseUrls, `upload:repository:${idle.repository.id}`);
    const before = await countStoredRows(env);
    expect([await form(key, 'idle'), await json(key, 'idle')]).toEqual([
      [429, '0'],
      [429, '0'],
    ]);
    expect(await countStoredRows(env)).toEqual(before);
    expect((await form(key, 'ledger'))[0]).toBe(201);
  });

  it('for unknown repositories share one limit and use none of the known ones', async () => {
    const key = await env.key();
    expect([await json(key, 'nothing'), await form(key, 'nothing-else'), await form(key, 'no name')]).toEqual([
      [404, '299'],
      [404, '298'],
      [400, '297'],
    ]);
    const statuses: number[] = [];
    for (let name = 0; name < 300; name += 1) statuses.push((await json(key, `nothing-${name}`))[0]);
    expect(statuses.indexOf(429)).toBe(297);
    expect((await json(key, 'payments'))[0]).toBe(201);
  });

  it('count for the key, also when they are not valid', async () => {
    const key = await env.key();
    const statuses = async (): Promise<readonly number[]> => [
      (await sendJson(key, '{'))[0],
      (await json(key, 'payments'))[0],
    ];
    // An upload that cannot be parsed uses the same limit as unknown names, which is used up.
    expect(await statuses()).toEqual([429, 201]);
    const [row] = await env.asSuperuser<{ id: string }>('select id from api_key order by created_at desc limit 1');
    const used = await env.asSuperuser<{ used: number }>(
      `select used from rate_limit_window where key = 'key:key:${row?.id}'`,
    );
    expect(used[0]?.used).toBeGreaterThanOrEqual(2);
    const other = await env.key();
    const [id] = await env.asSuperuser<{ id: string }>('select id from api_key order by created_at desc limit 1');
    await givenUsedUpLimit(env.databaseUrls, `key:key:${id?.id}`);
    const response = await sendJson(other, '{');
    expect(response[0]).toBe(429);
  });
});

describe('a gate request with an API key', () => {
  const gate = async (bearer: string, repo: string): Promise<number> => {
    const query = new URLSearchParams({ repo, version: VERSION });
    const response = await fetch(`${env.baseUrl}/api/milestones/check?${query.toString()}`, {
      headers: { authorization: `Bearer ${bearer}` },
    });
    await response.text();
    return response.status;
  };

  it('is answered within one limit for unknown repositories, and always for known ones', async () => {
    const key = await env.key();
    const statuses: number[] = [];
    for (let name = 0; name < 400; name += 1) statuses.push(await gate(key, `nothing-${name}`));
    expect(statuses.filter((status) => status === 404)).toHaveLength(300);
    expect(statuses.slice(300)).toEqual(Array.from({ length: 100 }, () => 429));
    expect(await gate(key, 'payments')).toBe(200);
  });

  it('is rejected for a repository whose limit is used up, and for a key whose limit is used up', async () => {
    await givenUsedUpLimit(env.databaseUrls, `gate:repository:${idle.repository.id}`);
    expect([await gate(await env.key(), 'idle'), await gate(await env.key(), 'acme/IDLE')]).toEqual([429, 429]);
    const key = await env.key();
    const hash = createHash('sha256').update(key).digest('base64url');
    await givenUsedUpLimit(env.databaseUrls, `key:key:${hash}`);
    expect([await gate(key, 'payments'), await gate(await env.key(), 'payments')]).toEqual([429, 200]);
  });
});

it('counts an upload of a run also when its JSON is not valid', async () => {
  const other = new RepositoryScenario(env, { name: 'torn' });
  const run = other.run(other.commit());
  await env.waitUntilIdle();
  expect([await sendJson(await run.token(), '{'), await sendJson(await run.token(), '{')]).toEqual([
    [400, '299'],
    [400, '298'],
  ]);
});

it('counts forms of a run for another repository before they are read', async () => {
  const bearer = await payments.run(sha).token();
  expect((await form(bearer, 'payments'))[0]).toBe(201);
  await givenUsedUpLimit(env.databaseUrls, `upload:repository:${payments.repository.id}`);
  const other = payments.run(sha);
  for (let spent = 0; spent < 29; spent += 1) await form(await other.token(), 'ledger');
  expect(await form(await other.token(), 'ledger')).toEqual([429, '0']);
});
