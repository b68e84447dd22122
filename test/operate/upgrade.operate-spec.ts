import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrations } from '../../migrations/index.js';
import { NOTHING_FAILED, SHUTDOWN_DELAY, upgradeProcesses } from '../faults/rolling-upgrade.js';
import { createEmptyDatabase } from '../support/database.js';

const BUILD_MS = 600_000;

/** Returns the version before: the commit in `UPGRADE_FROM`, or the last tag before this commit. Null if there is none. */
function findPreviousVersion(): string | null {
  const given = process.env['UPGRADE_FROM'];
  if (given) return given;
  try {
    return execFileSync('git', ['describe', '--tags', '--abbrev=0', 'HEAD^'], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    process.stderr.write(
      'The upgrade is skipped: there is no tag of an earlier version. Name a commit in UPGRADE_FROM.\n',
    );
    return null;
  }
}

const previous = findPreviousVersion();

(previous === null ? describe.skip : describe)(`an upgrade from ${previous ?? 'the version before'}`, () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-previous-version-'));
    const archive = path.join(folder, 'source.tar');
    execFileSync('git', ['archive', '--output', archive, previous ?? '']);
    execFileSync('tar', ['--extract', '--file', archive, '--directory', folder]);
    execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' });
    execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'inherit' });
  }, BUILD_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('fails no request while every process is replaced, behind a proxy that follows the readiness', async () => {
    const migration = migrations.at(-1)?.name ?? '';
    const timestamp = /\d+$/.exec(migration)?.[0] ?? '';
    const before = readdirSync(path.join(folder, 'migrations')).some((file) => file.startsWith(timestamp));
    const report = await upgradeProcesses(await createEmptyDatabase(), {
      from: folder,
      next: { folder: '.', migration },
      shutdownDelay: SHUTDOWN_DELAY,
    });
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report).toMatchObject({ ...NOTHING_FAILED, migrated: { before, after: true } });
    expect(report.passed).toBeGreaterThan(100);
  });
});
