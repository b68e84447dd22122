import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readTrustedKeys, verifyPack } from '../../src/client/verify-pack/verify-pack.js';
import { ReportStorageService } from '../../src/features/evidence/storage/report-storage.service.js';
import { SigningService } from '../../src/features/signing/signing.service.js';
import { readZip } from '../support/read-zip.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { OverrideScenario } from './scenarios/override-scenario.js';

const VERSION = 'v1.0.0';
const JUNIT = '<testsuite name="unit" tests="1"><testcase name="adds"/></testsuite>';

let env: TestEnvironment;
let scenario: OverrideScenario;
let mia: UserSession;
let path: string;
let folder: string;

/** A release whose tests failed first. Then it was approved, and shipped with a report of each kind. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shipgate-pack-'));
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  scenario = new OverrideScenario(env, VERSION, { name: 'packed' });
  const [ada, bob] = [await scenario.admin('ada'), await scenario.admin('bob')];
  mia = await signIn(env, env.github.createUser({ login: 'mia' }));
  await scenario.red();
  await scenario.confirm(bob, 'waivers', await scenario.requestWaiver(ada));
  const sha = scenario.commit();
  await env.waitUntilIdle();
  const { status } = await scenario.run(sha).upload(VERSION, {
    files: [{ filename: 'evil junit.xml', content: JUNIT }],
    reports: { 'page.html': '<script>alert(1)</script>' },
  });
  expect(status).toBe(201);
  await env.waitUntilIdle();
  scenario.approve(VERSION);
  await env.waitUntilIdle();
  await scenario.deploy(sha);
  path = `/api/milestones/${await scenario.id()}/audit-pack`;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await env.stop();
});

async function download(by = mia, of = path): Promise<Response> {
  return fetch(`${env.baseUrl}${of}`, { headers: { cookie: by.cookie } });
}

const packed = async (): Promise<Buffer> => Buffer.from(await (await download()).arrayBuffer());

async function verify(bytes: Buffer): Promise<readonly [boolean, string]> {
  const file = join(folder, 'pack.zip');
  writeFileSync(file, bytes);
  const keys = await (await fetch(`${env.baseUrl}/.well-known/shipgate-keys.json`)).text();
  const lines: string[] = [];
  const status = await verifyPack(file, readTrustedKeys(keys), (line) => lines.push(line));
  return [status === 'intact', lines.join('\n')];
}

describe('the approval record of a release', () => {
  interface Recorded {
    readonly decision: { readonly id: string; readonly setDigest: string };
    readonly deployments: readonly { readonly decisionId: string; readonly approvers: readonly string[] }[];
  }

  const recordPath = (): string => path.replace('audit-pack', 'approval-record');

  it('has the decision that shipped it, its approvals, its evidence with digests, and its signed document', async () => {
    const record = (await (await download(mia, recordPath())).json()) as Recorded;
    expect(record).toMatchObject({
      readAt: expect.any(String),
      release: { repo: 'packed', version: VERSION, stage: 'DEPLOYED' },
      decision: {
        open: true,
        rulesChanged: false,
        reasons: [],
        overrides: [],
        policyDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        approvals: { required: 1, given: 1, reviews: [{ state: 'approved', counts: true, reason: null }] },
      },
      moreEvidence: 0,
      evidence: [
        {
          types: expect.arrayContaining(['unit_tests']),
          metrics: { unit_tests: { total: 1, passed: 1, failed: 0, skipped: 0 } },
          uploadedBy: 'identity_token',
          moreFiles: 0,
          files: expect.arrayContaining([
            {
              name: 'evil junit.xml',
              size: Buffer.byteLength(JUNIT),
              sha256: createHash('sha256').update(JUNIT).digest('hex'),
            },
          ]),
        },
      ],
      pulls: [
        {
          ofDecision: true,
          setDigest: record.decision.setDigest,
          documents: [
            { path: `.releases/${VERSION}/EVIDENCE.md`, signature: null },
            { path: `.releases/${VERSION}/evidence.json`, signature: { algorithm: 'Ed25519' } },
          ],
        },
      ],
      deployments: [{ kind: 'release', decisionId: record.decision.id }],
    });
    expect(record.decision).toMatchObject({
      approvals: { reviews: [{ login: record.deployments[0]?.approvers[0] }] },
      stages: expect.arrayContaining([
        { stage: 'TESTING', met: expect.arrayContaining([expect.objectContaining({ code: 'tests_passed' })]) },
      ]),
    });
  });

  it('names the waiver of an earlier candidate, which the decision did not use', async () => {
    expect(await (await download(mia, recordPath())).json()).toMatchObject({
      overrides: [
        {
          kind: 'waiver',
          used: false,
          requestedBy: 'ada',
          confirmedBy: 'bob',
          confirmedAt: expect.any(String),
          withdrawnAt: null,
        },
      ],
    });
  });

  it('has the digest of the published document in the audit pack', async () => {
    const { pulls } = (await (await download(mia, recordPath())).json()) as {
      readonly pulls: readonly { readonly documents: readonly { readonly path: string; readonly sha256: string }[] }[];
    };
    const files = [...(await readZip(await packed()))].filter(([name]) => name.startsWith('evidence-pulls/'));
    expect(pulls.flatMap(({ documents }) => documents).map(({ sha256 }) => sha256)).toEqual(
      files.map(([, bytes]) => createHash('sha256').update(bytes).digest('hex')),
    );
  });
});

describe('the audit pack of a release', () => {
  it('is a zip with its own file name that is not cached', async () => {
    const { status, headers } = await download();
    expect([
      status,
      headers.get('content-type'),
      headers.get('content-disposition'),
      headers.get('cache-control'),
    ]).toEqual([200, 'application/zip', 'attachment; filename="shipgate-packed-v1.0.0.zip"', 'no-store']);
  });

  it('is intact, and every decision in it can be replayed', async () => {
    const [isIntact, output] = await verify(await packed());
    expect([isIntact, output]).toEqual([true, expect.stringContaining(`${VERSION} of acme/packed`)]);
    expect(output).toMatch(/decisions {2}(\d+) of \1 follow/);
    expect(output).toContain('3 reports are in the pack, 1 documents of pull requests have a valid signature');
    expect(output).toMatch(/audit log {2}([1-9]) of \1 entries match their hashes/);
  });

  it('contains everything that is stored of the release', async () => {
    const files = await readZip(await packed());
    const json = (name: string): unknown => JSON.parse(files.get(name)?.toString('utf8') ?? 'null');
    const names = [...files.keys()];
    expect(names[0]).toBe('README.txt');
    expect(files.get('README.txt')?.toString()).toContain(`/w/acme/releases/${path.split('/')[3]}/approval\n`);
    expect(names.slice(-3)).toEqual(['keys.json', 'manifest.json', 'signature.json']);
    expect(json('release.json')).toMatchObject({ org: 'acme', repo: 'packed', version: VERSION, stage: 'DEPLOYED' });
    expect(json('policy.json')).toMatchObject({ observedAt: expect.any(String), policy: { status: 'valid' } });
    expect(json('evidence-pulls.json')).toMatchObject([
      { number: expect.any(Number), observed: { pull: {}, reviews: { value: [{ state: 'approved' }] } } },
    ]);
    expect(json('transitions.json')).toEqual(
      expect.arrayContaining([expect.objectContaining({ from: 'DEPLOYMENT', to: 'DEPLOYED' })]),
    );
    expect(json('overrides.json')).toMatchObject({
      waivers: [{ requestedBy: 'ada', confirmedBy: 'bob', condition: 'evidence_failing' }],
      breakGlasses: [],
    });
    expect(json('history.json')).toMatchObject([{ kind: 'release', approvers: [expect.any(String)] }]);
    expect(json('audit-log.json')).toMatchObject({
      entries: expect.arrayContaining([expect.objectContaining({ action: 'waiver.confirmed' })]),
    });
    expect(names.filter((name) => name.startsWith('decisions/')).length).toBeGreaterThan(3);
    expect(names.filter((name) => name.startsWith('evidence/'))).toHaveLength(2);
    expect(names.filter((name) => name.startsWith('evidence-pulls/'))).toEqual([
      expect.stringMatching(/\/EVIDENCE\.md$/),
      expect.stringMatching(/\/evidence\.json$/),
    ]);
  });

  it('contains the reports byte by byte under their digests, not under their uploaded names', async () => {
    const files = await readZip(await packed());
    const digest = createHash('sha256').update(JUNIT).digest('hex');
    expect(files.get(`reports/${digest}`)?.toString()).toBe(JUNIT);
    const reports = [...files].filter(([name]) => name.startsWith('reports/'));
    expect(reports).toHaveLength(3);
    for (const [name, bytes] of reports) {
      expect(name).toBe(`reports/${createHash('sha256').update(bytes).digest('hex')}`);
    }
    expect([...files.keys()].filter((name) => /evil|html|\.\./.test(name))).toEqual([]);
  });

  it('contains the same bytes of every record when it is created again', async () => {
    const [one, other] = [await readZip(await packed()), await readZip(await packed())];
    const differing = [...one].filter(([name, bytes]) => other.get(name)?.equals(bytes) !== true).map(([name]) => name);
    expect(differing).toEqual(['README.txt', 'manifest.json', 'signature.json']);
  });

  it('is not intact after a byte was changed, and the check names the byte', async () => {
    const pack = await packed();
    const at = pack.indexOf(JUNIT) + 20;
    pack[at]! ^= 1;
    const [isIntact, output] = await verify(pack);
    expect([isIntact, output]).toEqual([false, expect.stringContaining(`is at offset ${at}, byte 20 of reports/`)]);
  });

  it('stays intact after the key was replaced, and new packs use the new key', async () => {
    const before = await packed();
    await env.app.get(SigningService).rotateKey();
    expect(await verify(before)).toMatchObject([true, expect.any(String)]);
    expect(await verify(await packed())).toMatchObject([true, expect.stringContaining('1 documents')]);
  });

  it('ends with an error in the log if a report does not match its digest', async () => {
    const digest = createHash('sha256').update(JUNIT).digest('hex');
    const storage = env.app.get(ReportStorageService);
    const open = storage.open.bind(storage);
    jest.spyOn(storage, 'open').mockImplementation(async (orgId, sha256) => {
      if (sha256 !== digest) return open(orgId, sha256);
      return [Buffer.from(JUNIT.replace('adds', 'sums'))] as unknown as AsyncIterable<Buffer>;
    });
    const response = await download();
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    jest.restoreAllMocks();
    expect(env.lines.join('')).toContain('audit pack failed');
  });

  it('can be downloaded three times at once by one user, and still by others', async () => {
    const storage = env.app.get(ReportStorageService);
    const open = storage.open.bind(storage);
    let goOn: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (goOn = resolve));
    jest.spyOn(storage, 'open').mockImplementation(async (orgId, sha256) => {
      await waits;
      return open(orgId, sha256);
    });
    const three = await Promise.all([download(), download(), download()]);
    const fourth = await download();
    const ned = await signIn(env, env.github.createUser({ login: 'ned' }));
    const another = await download(ned);
    goOn();
    jest.restoreAllMocks();
    expect([fourth.status, fourth.headers.get('retry-after'), another.status]).toEqual([429, '30', 200]);
    for (const { status, body } of [...three, another]) {
      expect(status).toBe(200);
      await body?.pipeTo(new WritableStream());
    }
    expect((await download()).status).toBe(200);
  });

  it('returns 404 for users without access and for unknown releases', async () => {
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const eve = await scenario.admin('eve', elsewhere);
    expect((await download(eve)).status).toBe(404);
    const recordPath = path.replace('audit-pack', 'approval-record');
    expect((await download(eve, recordPath)).status).toBe(404);
    for (const id of [randomUUID(), 'no-id']) {
      expect((await download(mia, `/api/milestones/${id}/audit-pack`)).status).toBe(404);
    }
    scenario.repository.changeVisibility('private');
    await env.waitUntilIdle();
    expect((await download()).status).toBe(404);
    expect((await download(mia, recordPath)).status).toBe(404);
  });

  it('ends with an error when the user loses access to the repository', async () => {
    scenario.repository.changeVisibility('public');
    await env.waitUntilIdle();
    const storage = env.app.get(ReportStorageService);
    const open = storage.open.bind(storage);
    const opened = jest.spyOn(storage, 'open').mockImplementation(async (orgId, sha256) => {
      await env.asSuperuser(`update repository set private = true where name = 'packed'`);
      return open(orgId, sha256);
    });
    const response = await download();
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    const reports = opened.mock.calls.length;
    jest.restoreAllMocks();
    expect(reports).toBe(1);
  });
});
