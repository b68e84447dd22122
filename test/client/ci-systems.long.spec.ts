import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run-client.js';
import { DESCRIBED_JOBS } from './ci-variables.js';
import { buildClient, removeClient, shipgate } from './client-process.js';
import { keySecret } from '../../src/domain/keys/key-secret.js';

describe('shipgate upload --dry-run', () => {
  let folder: string;
  beforeAll(() => {
    buildClient();
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-systems-'));
    writeFileSync(path.join(folder, 'x.xml'), junit(1, 0));
  });
  afterAll(() => {
    removeClient();
    rmSync(folder, { recursive: true });
  });

  it('needs no address, credential and pipeline with a release, and says what it did not check', async () => {
    const args = ['upload', 'x.xml', '--dry-run', '--release', 'v1.4.0', '--repo', 'acme/payments'];
    const { code, stdout, stderr } = await shipgate(args, { cwd: folder });
    expect(stderr).toContain('the upload needs --pipeline');
    expect(stderr).toContain('The upload names no run');
    const named = await shipgate([...args, '--pipeline', 'p', '--run-url', 'https://ci.example/1'], { cwd: folder });
    expect(named.stderr).not.toMatch(/--pipeline|names no run/);
    expect([code, stdout]).toEqual([0, expect.stringContaining('(pipeline local, environment ci)')]);
    expect(stdout).toContain('Not checked: the credential, and whether Shipgate has this release');
    expect(await shipgate(args.slice(0, 3), { cwd: folder })).toMatchObject({ code: 2 });
  });

  it('has a job of each of the seven CI systems', () => {
    expect(new Set(DESCRIBED_JOBS.map(([, { system }]) => system)).size).toBe(7);
  });

  it.each(DESCRIBED_JOBS.map(([variables, job]) => [job.system, variables, job] as const))(
    'detects the fields of a job of %s',
    async (_, variables, job) => {
      // Some systems do not name the repository on GitHub.
      const repo = job.repository ?? 'acme/mirrored';
      const { code, json } = await shipgate(['upload', 'x.xml', '--dry-run', '--json', '--release', 'v1.4.0'], {
        cwd: folder,
        env: {
          ...variables,
          SHIPGATE_URL: 'http://127.0.0.1:9',
          SHIPGATE_API_KEY: keySecret('sgk', new Uint8Array(32)),
          ...(job.repository === undefined && { SHIPGATE_REPO: repo }),
        },
      });
      expect([code, json['outcome'], json['fields']]).toEqual([
        0,
        'dry_run',
        {
          repo,
          version: 'v1.4.0',
          pipeline: job.pipeline,
          job: job.job,
          commit_sha: job.commit,
          run_url: job.runUrl,
          ...(job.attempt !== undefined && { run_attempt: job.attempt }),
          ...(job.group && { job_group: job.group.name, job_total: job.group.total }),
        },
      ]);
    },
  );
});
