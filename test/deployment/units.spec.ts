import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isInstalled } from './installed.js';

const FOLDER = 'deploy/systemd';
const UNITS = ['shipgate-migrate.service', 'shipgate@.service'];
/** The exposure on a scale of ten, where ten is a service without any protection. */
const HIGHEST_EXPOSURE = 2;

/** Returns the problems that systemd finds in the units, with the given change of their text. */
function problemsOf(change: (text: string) => string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'shipgate-units-'));
  try {
    cpSync(FOLDER, folder, { recursive: true });
    for (const unit of UNITS) {
      const file = path.join(folder, unit);
      // systemd requires that the program and the folder exist, and their paths are those of an installation.
      const text = readFileSync(file, 'utf8')
        .replaceAll('/usr/bin/node', process.execPath)
        .replaceAll('/opt/shipgate', '/');
      writeFileSync(file, change(text));
    }
    const files = UNITS.map((unit) => path.join(folder, unit));
    return spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' }).stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the values of a setting of a unit, over all of its lines. */
const valuesOf = (unit: string, setting: string): readonly string[] =>
  [...readFileSync(path.join(FOLDER, unit), 'utf8').matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].flatMap(
    ([, values = '']) => values.split(' '),
  );

describe('the migration', () => {
  it('runs before the processes, and neither stops them nor keeps them down if it runs again or fails', () => {
    const [migration, processes] = UNITS as [string, string];
    expect(valuesOf(processes, 'Wants')).toContain(migration);
    expect(valuesOf(processes, 'After')).toContain(migration);
    const strict = ['Requires', 'Requisite', 'BindsTo', 'PartOf'].flatMap((setting) => valuesOf(processes, setting));
    expect(strict).not.toContain(migration);
  });

  it('is tried again only if the database is away', () => {
    expect(valuesOf('shipgate-migrate.service', 'Restart')).toEqual(['on-failure']);
    expect(valuesOf('shipgate-migrate.service', 'RestartPreventExitStatus')).toEqual(['1', '78']);
  });
});

(isInstalled('systemd-analyze', 'the test of the systemd units') ? describe : describe.skip)(
  'the systemd units',
  () => {
    it('pass the check of systemd', () => {
      expect(problemsOf((text) => text)).toBe('');
    });

    it('would not pass it with a misspelled setting', () => {
      expect(problemsOf((text) => text.replace('TimeoutStopSec', 'TimeoutStopSecs'))).toMatch(
        /Unknown key .*TimeoutStopSecs/,
      );
    });

    it.each(UNITS)('take away from the process what it does not need: %s', (unit) => {
      const { stdout } = spawnSync(
        'systemd-analyze',
        ['security', '--offline=true', '--no-pager', path.join(FOLDER, unit)],
        { encoding: 'utf8' },
      );
      const [, exposure = 'none'] = /exposure level for \S+: (\d+\.\d+)/.exec(stdout) ?? [];
      expect(Number(exposure)).toBeLessThan(HIGHEST_EXPOSURE);
    });
  },
);
