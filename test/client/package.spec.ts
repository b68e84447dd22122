import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CommandName, COMMANDS } from '../../src/client/command-table.js';

interface Manifest {
  readonly version: string;
  readonly engines: object;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
}

const MAX_BYTES = 2_097_152;
const manifest = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8')) as Manifest;

describe('the npm package of the command line', () => {
  let folder: string;
  let packed: readonly { readonly filename: string; readonly files: readonly { path: string; size: number }[] }[];

  const start = (command: string, args: readonly string[], cwd = folder): SpawnSyncReturns<string> =>
    spawnSync(command, args, {
      cwd,
      encoding: 'utf8',
      // Without the registry, and without the settings and the cache of the user.
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        npm_config_offline: 'true',
        npm_config_cache: path.join(folder, '.npm'),
      },
    });
  const run = (command: string, args: readonly string[], cwd = folder): string => {
    const { status, stdout, stderr } = start(command, args, cwd);
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
    return stdout;
  };

  const binary = (): string => path.join(folder, 'node_modules/.bin/shipgate');

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-package-'));
    const text = run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], path.resolve('cli'));
    packed = JSON.parse(text.slice(text.indexOf('['))) as typeof packed;
    writeFileSync(path.join(folder, 'package.json'), '{"name":"empty","private":true}');
    run('npm', ['install', '--no-audit', '--no-fund', path.join(folder, packed[0]?.filename ?? '')]);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has the version and the engines of the service, and no dependencies', () => {
    const { version, engines, dependencies, optionalDependencies } = manifest('cli/package.json');
    const service = manifest('package.json');
    expect([version, engines]).toEqual([service.version, service.engines]);
    expect([dependencies, optionalDependencies]).toEqual([undefined, undefined]);
  });

  it('has one file of code, within its limit', () => {
    const [{ files } = { files: [] }] = packed;
    expect(files.map((file) => file.path).toSorted()).toEqual(['LICENSE', 'README.md', 'package.json', 'shipgate.cjs']);
    expect(files.find((file) => file.path === 'shipgate.cjs')?.size).toBeLessThan(MAX_BYTES);
  });

  it('can be installed into an empty folder without a registry, and installs nothing else', () => {
    expect(readdirSync(path.join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'shipgate',
    ]);
    expect(run('npx', ['--no-install', 'shipgate', 'version'])).toMatch(/^shipgate \d+\.\d+\.\d+ \(Node /);
  });

  it('shows the usage of every command', () => {
    for (const name of Object.keys(COMMANDS)) {
      expect(run(binary(), [name, '--help'])).toContain(`shipgate ${name}`);
    }
  });

  it('loads every command, also without settings', () => {
    const without: Readonly<Record<CommandName, readonly [readonly string[], number, string]>> = {
      init: [[], 0, 'Written: sdlc.yaml'],
      upload: [[], 2, 'No file is named.'],
      gate: [[], 2, 'The commit is missing.'],
      deploy: [[], 2, 'Write the command after --'],
      deployment: [[], 2, 'Use `shipgate deployment start`'],
      running: [[], 2, 'No artifact is named.'],
      release: [[], 2, 'Use `shipgate release list`'],
      policy: [[], 2, 'Use `shipgate policy check [FILE]`'],
      lint: [['none.yaml'], 2, 'none.yaml cannot be read: it does not exist.'],
      'verify-pack': [[], 2, 'Exactly one pack is required.'],
      'verify-statement': [[], 2, 'Exactly one statement is required.'],
      doctor: [[], 2, 'The address of Shipgate is missing.'],
      login: [[], 2, 'The address of Shipgate is missing.'],
      logout: [[], 0, 'There was no login.'],
      version: [[], 0, 'shipgate '],
      completion: [['bash'], 0, 'complete -o default -F _shipgate'],
    };
    expect(Object.keys(without)).toEqual(Object.keys(COMMANDS));
    for (const [name, [args, expected, sentence]] of Object.entries(without)) {
      const { status, stdout, stderr } = start(binary(), [name, ...args]);
      expect([name, status, stdout + stderr]).toEqual([name, expected, expect.stringContaining(sentence)]);
    }
    // These load all of their code, with the parser of YAML, the schema and the patterns.
    writeFileSync(path.join(folder, 'sdlc.yaml'), 'version: v1\n');
    expect(run(binary(), ['policy', 'check'])).toBe('sdlc.yaml is valid.\n');
    expect(run(binary(), ['upload', '*.xml', '--allow-empty'])).toContain('No file matches.');
  });

  it('contains the licenses of the packages in it', () => {
    const text = readFileSync(path.join(folder, 'node_modules/shipgate/shipgate.cjs'), 'utf8');
    const [code = '', licenses = ''] = text.split('\n// The licenses of the packages in this file:\n');
    const names = new Set(
      [...code.matchAll(/^\s*\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name]) => name),
    );
    expect(names.size).toBeGreaterThan(3);
    for (const name of names) expect(licenses).toContain(`\n// ${name}\n`);
    expect(licenses).toContain('Permission is hereby granted');
  });
});
