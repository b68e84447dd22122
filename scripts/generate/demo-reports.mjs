// Writes the reports that the demo uploads, with the test tools of this project:
// Jest (JUnit by jest-junit, LCOV by Istanbul) over the policy's own specs in two shards, and oxlint (SARIF).
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, copyFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const reports = path.join(root, 'test/demo/reports');
const scratch = mkdtempSync(path.join(tmpdir(), 'demo-reports-'));
mkdirSync(reports, { recursive: true });

function run(command, args, { cwd = root, env = {}, mayFail = false } = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0 && !mayFail) throw new Error(`${command} ${args.join(' ')} failed:\n${stderr}`);
  return stdout;
}

function jest(report, args, options = {}) {
  const junit = { JEST_JUNIT_OUTPUT_FILE: path.join(reports, report), JEST_JUNIT_REPORT_TEST_SUITE_ERRORS: 'true' };
  const jestBin = path.join(root, 'node_modules/jest/bin/jest.js');
  const jestArgs = ['--experimental-vm-modules', '--no-warnings', jestBin, ...args, `--reporters=${reporter}`];
  run(process.execPath, jestArgs, { ...options, env: junit });
}

const reporter = path.join(root, 'node_modules/jest-junit');
const specs = [
  '--config',
  path.join(root, 'config/jest.config.js'),
  'src/domain/policy/(branch-pattern|release-version)',
];

try {
  jest('junit-1.xml', ['--shard=1/2', ...specs]);
  jest('junit-2.xml', ['--shard=2/2', ...specs]);
  const coverage = ['--coverage', '--coverageReporters=lcovonly', '--coverageDirectory', scratch];
  const measured = ['--collectCoverageFrom=src/domain/policy/{branch-pattern,release-version}.ts'];
  jest('junit.xml', [...specs, ...coverage, ...measured]);
  copyFileSync(path.join(scratch, 'lcov.info'), path.join(reports, 'lcov.info'));

  writeFileSync(
    path.join(scratch, 'checkout.spec.cjs'),
    `describe('checkout', () => {
  it('adds up the basket', () => expect(2 + 2).toBe(4));
  it('rounds to whole cents', () => expect(0.1 + 0.2).toBe(0.3));
});\n`,
  );
  writeFileSync(path.join(scratch, 'jest.config.json'), '{ "testMatch": ["**/*.spec.cjs"], "transform": {} }');
  jest('junit-red.xml', ['--rootDir', scratch, '--config', path.join(scratch, 'jest.config.json')], { mayFail: true });

  // Removes the stack traces, because they contain paths of this machine.
  const red = path.join(reports, 'junit-red.xml');
  writeFileSync(red, readFileSync(red, 'utf8').replaceAll(/\n {4}at [^<\n]*/g, ''));

  const oxlint = path.join(root, 'node_modules/oxlint/bin/oxlint');
  writeFileSync(
    path.join(reports, 'oxlint.sarif'),
    run(process.execPath, [oxlint, '--format=sarif', 'src/domain'], { mayFail: true }),
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
