import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run-client.js';
import { insideCode, outsideCode } from '../support/rendered-markdown.js';
import { TestEnvironment } from '../support/test-environment.js';
import { formOf, postForm } from './scenarios/report-form.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const VERSION = 'v1.0.0';
const EVIL = 'https://ci.example/x)![](https://evil.example/a.png)';
const NAME = '**all** @acme/team | <img src=x> [here](https://evil.example) #1 :tada: `$x$` www.evil.example';

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

/** The targets of the links and pictures of a page. */
const addressesIn = (markdown: string): readonly string[] =>
  [...outsideCode(markdown).matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address = '']) => address);

describe('text in an upload', () => {
  it('is plain text in the pull request and its files, and the run is that of the token', async () => {
    const repo = new RepositoryScenario(env, { name: 'hostile' });
    repo.milestone(VERSION);
    const sha = repo.commit();
    await env.waitUntilIdle();
    const named = { pipeline: NAME, environment: NAME, job: NAME, run_url: EVIL };
    const run = repo.run(sha, { runId: 4711 });
    expect((await run.uploadTests(VERSION, 3, 0, named)).status).toBe(201);
    await env.waitUntilIdle();

    const page = repo.evidenceFile(VERSION, 'EVIDENCE.md');
    const body = repo.evidencePull(VERSION).issue.body ?? '';
    const address = `${env.github.url}/acme/hostile/actions/runs/4711/attempts/1`;
    for (const text of [page, body]) {
      expect(addressesIn(text)).toEqual([address]);
      expect(insideCode(text)).toContain(NAME);
      expect(outsideCode(text)).not.toMatch(/evil|@|<strong|<img|tada/);
      expect(text).not.toContain('ci.example');
    }
  });

  it('of a key is not a link, also if it contains an address', async () => {
    const repo = new RepositoryScenario(env, { name: 'keyed' });
    repo.milestone(VERSION);
    const sha = repo.commit();
    await env.waitUntilIdle();
    const key = await env.key(['evidence:write']);
    const fields = { repo: 'keyed', version: VERSION, pipeline: NAME, commit_sha: sha, run_url: EVIL };
    const files = [{ filename: `${NAME.replaceAll('/', ' ')}.xml`, content: junit(2) }];
    expect((await postForm(env, key, formOf(fields, files))).status).toBe(201);
    await env.waitUntilIdle();

    const page = repo.evidenceFile(VERSION, 'EVIDENCE.md');
    expect(addressesIn(page)).toEqual([]);
    expect(insideCode(page)).toEqual(expect.arrayContaining([NAME, EVIL]));
    expect(outsideCode(page)).not.toMatch(/evil|@|<strong|<img|tada/);
  });

  it('is not an address of an earlier upload', async () => {
    const repo = new RepositoryScenario(env, { name: 'stored-before' });
    repo.milestone(VERSION);
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.run(sha, { runId: 4712 }).uploadTests(VERSION);
    await env.asSuperuser(`update evidence set run_url = '${EVIL}' where run_id = '4712'`);
    await env.waitUntilIdle();
    await repo.run(sha, { runId: 4713 }).uploadTests(VERSION, 3, 0, { pipeline: 'another' });
    await env.waitUntilIdle();
    const runs = `${env.github.url}/acme/stored-before/actions/runs`;
    expect([...addressesIn(repo.evidenceFile(VERSION, 'EVIDENCE.md'))].sort()).toEqual([
      `${runs}/4712/attempts/1`,
      `${runs}/4713/attempts/1`,
    ]);
  });
});

describe('evidence.json', () => {
  const bom = '\uFEFF';
  const windows = `${bom}<?xml version="1.0"?>\r\n${junit(2).replaceAll('><', '>\r\n<')}\r\n`;
  const large = junit(30_000);
  const FILES: readonly (readonly [string, Buffer])[] = [
    ['junit.xml', Buffer.from(junit(3))],
    ['windows.xml', Buffer.from(windows)],
    ['utf16.xml', Buffer.from(`${bom}${junit(4)}`, 'utf16le')],
    ['umläute 構築.xml', Buffer.from(junit(5).replaceAll('"c"', '"prüfen 構築 😀"'))],
    ['large.xml', Buffer.from(large)],
    ['page.html', Buffer.from('<!doctype html>\r\n<title>é</title>')],
  ];
  const proofOf = ([name, bytes]: readonly [string, Buffer]) => ({
    name,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
    one.name < other.name ? -1 : 1;

  interface ItemJson {
    readonly kind: string;
    readonly pipeline: string;
    readonly files: readonly { readonly name: string; readonly size: number; readonly sha256: string }[];
  }
  const itemsIn = (repo: RepositoryScenario): readonly ItemJson[] =>
    (JSON.parse(repo.evidenceFile(VERSION, 'evidence.json')) as { evidence: readonly ItemJson[] }).evidence;

  it('lists each file by the bytes that were uploaded, as a form and as JSON, compressed or not', async () => {
    const repo = new RepositoryScenario(env, { name: 'proven' });
    repo.milestone(VERSION);
    const sha = repo.commit();
    await env.waitUntilIdle();
    const token = await repo.run(sha).token();
    const fields = { repo: 'proven', version: VERSION, pipeline: 'form' };
    const sent = FILES.map(([filename, bytes]) => ({ filename, content: Uint8Array.from(bytes) }));
    expect((await postForm(env, token, formOf(fields, sent))).status).toBe(201);

    const texts = FILES.filter(([name]) => name !== 'utf16.xml');
    const files = texts.map(([filename, bytes]) => ({ filename, content: bytes.toString('utf8') }));
    const json = { repo: 'proven', version: VERSION, files };
    for (const encoding of ['identity', 'gzip']) {
      const body = Buffer.from(JSON.stringify({ ...json, pipeline: encoding }));
      const answer = await fetch(`${env.baseUrl}/api/evidence/upload`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...(encoding === 'gzip' && { 'content-encoding': 'gzip' }),
        },
        body: Uint8Array.from(encoding === 'gzip' ? gzipSync(body) : body),
      });
      expect(answer.status).toBe(201);
    }
    await env.waitUntilIdle();

    const received = new Map(itemsIn(repo).map(({ pipeline, files: listed }) => [pipeline, [...listed].sort(byName)]));
    expect(received.get('form')).toEqual(FILES.map(proofOf).sort(byName));
    for (const pipeline of ['identity', 'gzip'])
      expect(received.get(pipeline)).toEqual(texts.map(proofOf).sort(byName));
  });

  it('lists with an item its files and its documents', async () => {
    const repo = new RepositoryScenario(env, { name: 'kinds' });
    repo.milestone(VERSION);
    const sha = repo.commit();
    await env.waitUntilIdle();
    const lcov = 'TN:\nSF:a.ts\nDA:1,1\nLF:1\nLH:1\nend_of_record\n';
    const files = [
      { filename: 'junit.xml', content: junit(2) },
      { filename: 'lcov.info', content: lcov },
    ];
    const reports = { notes: '<p>for people</p>' };
    expect((await repo.run(sha).upload(VERSION, { files, reports })).status).toBe(201);
    await env.waitUntilIdle();
    const names = itemsIn(repo).map(({ kind, files: listed }) => [kind, listed.map(({ name }) => name)]);
    expect(new Map(names as [string, string[]][])).toEqual(
      new Map([
        ['unit_tests', ['junit.xml', 'notes']],
        ['coverage', ['lcov.info', 'notes']],
      ]),
    );
  });
});

describe('the evidence of a release with many items', () => {
  it("has a pull request within GitHub's limit, and a file with all of it", async () => {
    const repo = new RepositoryScenario(env, { name: 'large' });
    repo.milestone(VERSION);
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.run(sha).uploadTests(VERSION);
    // Inserts copies of the item, because uploads would take too long.
    const [{ columns } = { columns: '' }] = await env.asSuperuser<{ readonly columns: string }>(
      `select string_agg(column_name, ', ') as columns from information_schema.columns
       where table_name = 'evidence' and is_generated = 'NEVER'`,
    );
    await env.asSuperuser(
      `with first as (select e.* from evidence e join repository p on p.id = e.repository_id where p.name = 'large')
       insert into evidence (${columns}) overriding system value
       select ${columns} from (
         select (jsonb_populate_record(null::evidence, to_jsonb(first) || jsonb_build_object(
           'id', gen_random_uuid(), 'job', 'job ' || n, 'pipeline', 'pipeline ' || n, 'sequence', first.sequence + 1000000 + n,
           'sha256', encode(sha256(n::text::bytea), 'hex')))).* from first, generate_series(1, 1998) n) as more`,
    );
    expect((await repo.run(sha).uploadTests(VERSION, 2, 0, { pipeline: 'last' })).status).toBe(201);
    await env.waitUntilIdle();
    const pull = repo.evidencePull(VERSION);
    const body = pull.issue.body ?? '';
    expect(Array.from(body).length).toBeLessThanOrEqual(65_536);
    expect(addressesIn(body)).toContain(
      `${env.github.url}/acme/large/blob/${pull.headSha}/.releases/${VERSION}/EVIDENCE.md`,
    );
    const page = repo.evidenceFile(VERSION, 'EVIDENCE.md');
    expect(page).toContain('`pipeline 1998`');
    expect(body).toContain('approving review is needed');
  });
});
