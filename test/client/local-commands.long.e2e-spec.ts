import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readPolicyDocument } from '../../src/policy-document/policy-document.js';
import { SDLC_V1_SCHEMA } from '../../src/policy-document/sdlc.v1.schema.js';
import { givenPackFiles, givenSigner, keySetOfSigner, packOf } from '../support/given-pack.js';
import { VALID_POLICIES } from '../support/valid-policies.js';
import { WRONG_POLICIES } from '../support/wrong-policies.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from './client-process.js';
import { keySecret } from '../../src/domain/keys/key-secret.js';

/** A proxy without a listener, so that a command that uses the network fails. */
const OFFLINE = {
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  SHIPGATE_URL: 'http://127.0.0.1:9',
};

describe('the commands that need no network', () => {
  let folder: string;
  beforeAll(() => {
    buildClient();
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-local-'));
  });
  afterAll(() => {
    removeClient();
    rmSync(folder, { recursive: true });
  });

  const write = (name: string, content: string | Uint8Array): string => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };

  it('policy check accepts a valid file, and names each problem with its place', async () => {
    write('sdlc.yaml', 'version: v1\n');
    const valid = await shipgate(['policy', 'check', '--quiet'], { cwd: folder, env: OFFLINE });
    expect(valid).toMatchObject({ code: 0, stdout: 'sdlc.yaml is valid.\n', stderr: '' });
    const file = write('wrong.yaml', 'version: v1\nstages:\n  testing:\n    required_chekcs: [a]\n');
    const invalid = await shipgate(['policy', 'check', file, '--json'], { env: OFFLINE });
    expect([invalid.code, invalid.json['outcome']]).toEqual([1, 'invalid']);
    expect(invalid.json['problems']).toEqual([expect.objectContaining({ line: 4, column: 5 })]);
    expect(invalid.stderr).toContain('wrong.yaml:4:5: ');
    expect(await shipgate(['policy', 'check', 'none.yaml'], { cwd: folder })).toMatchObject({ code: 2 });
  });

  it('policy check accepts each valid policy, and finds in each wrong one the problems that the service finds', async () => {
    const policies = [...VALID_POLICIES, ...WRONG_POLICIES];
    const files = policies.map(([, source], index) => write(`policy-${index}.yaml`, source));
    const valid = new Set(files.slice(0, VALID_POLICIES.length));
    // A few at a time, because each is a process.
    const outcomes: [string, ClientOutcome][] = [];
    const check = async (): Promise<void> => {
      for (let file = files.pop(); file !== undefined; file = files.pop()) {
        outcomes.push([file, await shipgate(['policy', 'check', file, '--json'], { env: OFFLINE })]);
      }
    };
    await Promise.all([check(), check(), check()]);
    expect(outcomes).toHaveLength(policies.length);
    for (const [file, { code, json }] of outcomes) {
      const reading = readPolicyDocument(readFileSync(file));
      const problems = reading.ok ? [] : reading.problems;
      expect([code, json['problems']]).toEqual([reading.ok ? 0 : 1, problems]);
      if (valid.has(file)) expect([file, code]).toEqual([file, 0]);
    }
  });

  it('lint checks like policy check', async () => {
    write('sdlc.yaml', 'version: v1\n');
    const calls = [['lint'], ['lint', 'none.yaml'], ['lint', 'a', 'b']];
    const outcomes = await Promise.all(calls.map((args) => shipgate(args, { cwd: folder, env: OFFLINE })));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 2, 2]);
    expect(outcomes[0]?.stdout).toBe('sdlc.yaml is valid.\n');
  });

  it('policy schema prints the published schema', async () => {
    const { code, stdout } = await shipgate(['policy', 'schema'], { env: OFFLINE });
    expect([code, JSON.parse(stdout)]).toEqual([0, JSON.parse(JSON.stringify(SDLC_V1_SCHEMA))]);
  });

  it('verify-pack ends with 0 only for an intact pack of a known signer', async () => {
    const signer = givenSigner();
    const file = write('pack.zip', await packOf(signer, givenPackFiles(signer)));
    const keys = write('keys.json', JSON.stringify(keySetOfSigner(signer)));
    const verify = (...args: readonly string[]) => shipgate(['verify-pack', ...args], { env: OFFLINE });
    expect(await verify(file, '--keys', keys)).toMatchObject({ code: 0, stdout: expect.stringContaining('INTACT') });
    expect(await verify(file)).toMatchObject({ code: 3 });
    expect(await verify(file, '--any-signer')).toMatchObject({ code: 0 });
    const bytes = readFileSync(file);
    const middle = bytes.length >> 1;
    bytes.writeUInt8((bytes[middle] ?? 0) ^ 1, middle);
    const changed = await verify(write('changed.zip', bytes), '--keys', keys);
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining(`offset ${middle}`)]);
    expect(await verify(file, '--keys', file)).toMatchObject({ code: 2 });
    expect(await verify('none.zip')).toMatchObject({ code: 2 });
    expect(await verify()).toMatchObject({ code: 2 });
  });

  it('version and --help answer on stdout', async () => {
    expect(await shipgate(['version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^shipgate \d+\.\d+\.\d+ \(Node /),
    });
    expect((await shipgate(['version', '--json'])).json).toMatchObject({
      command: 'version',
      node: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    for (const args of [['--help'], ['gate', '--help'], ['upload', '--help']]) {
      expect(await shipgate(args)).toMatchObject({ code: 0, stderr: '' });
    }
    expect(await shipgate([])).toMatchObject({ code: 2, stdout: '' });
    for (const args of [['--json'], ['gaet', '--json'], ['gate', '--none', '--json']]) {
      const { code, json } = await shipgate(args);
      expect([code, json['outcome'], json['exit']]).toEqual([2, 'usage', 2]);
    }
    expect((await shipgate(['gate', '--help', '--json'])).json).toMatchObject({ outcome: 'help', exit: 0 });
    const { stdout: usage } = await shipgate(['gate', '--help']);
    expect(await shipgate(['help', 'gate'])).toMatchObject({ code: 0, stdout: usage });
    for (const args of [['gaet'], ['help', 'gaet']]) {
      const stderr = 'error: Unknown command "gaet". Did you mean gate?\n';
      expect(await shipgate(args)).toMatchObject({ code: 2, stderr });
    }
    expect(await shipgate(['history'])).toMatchObject({
      code: 2,
      stderr: 'error: Unknown command "history". `shipgate help` lists the commands.\n',
    });
  });

  it('prints nothing that controls a terminal from its own arguments', async () => {
    for (const args of [
      ['verify-pack', 'x\r::error::hi\u001B[2J'],
      ['policy', 'check', '\u009B2J##vso[x]'],
      ['gate', '--\u001B[2J'],
    ]) {
      const { code, stdout, stderr } = await shipgate(args, { cwd: folder });
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).not.toMatch(/^\s*::|##\w*\[|[^\n\x20-\x7E]/m);
    }
    const { stderr } = await shipgate([
      'gate',
      '--release',
      'v1',
      '--any-sha',
      '--repo',
      'a/b',
      '--url',
      'https//a:secret@b',
    ]);
    expect(stderr).not.toContain('secret');
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'a key in place of its file',
      { SHIPGATE_API_KEY_FILE: 'sgk_canary' },
      'SHIPGATE_API_KEY_FILE does not name a file',
    ],
    ['a token in place of its file', { SHIPGATE_ID_TOKEN_FILE: 'canary' }, 'SHIPGATE_ID_TOKEN_FILE does not name'],
    ['a key of two lines', { SHIPGATE_API_KEY: 'sgk_canary\nsgk_canary' }, 'SHIPGATE_API_KEY has characters'],
    ['a key with other characters', { SHIPGATE_API_KEY: 'sgk_canary…' }, 'SHIPGATE_API_KEY has characters'],
    [
      'an address with a password',
      { SHIPGATE_API_KEY: 'x', SHIPGATE_URL: 'https://a:canary@b.example' },
      'must not hold a password',
    ],
    [
      'a key in place of the address',
      { SHIPGATE_API_KEY: 'x', SHIPGATE_URL: 'sgk_canary' },
      'The address of Shipgate is not valid.',
    ],
    [
      'a proxy without a protocol',
      { SHIPGATE_API_KEY: keySecret('sgk', new Uint8Array(32)), HTTPS_PROXY: 'a:canary@b.example:3128' },
      'is not the address of a proxy',
    ],
  ])('ends with 2 for %s, and prints nothing of it', async (_, env, sentence) => {
    const outcome = await shipgate(['gate', '--release', 'v1', '--any-sha', '--repo', 'a/b', '--json'], {
      env: { ...OFFLINE, ...env },
    });
    expect([outcome.code, outcome.json['error']]).toEqual([2, expect.stringContaining(sentence)]);
    expect(outcome.stdout + outcome.stderr).not.toContain('canary');
  });

  it('completion prints a script that the shell accepts, with the options of each command', async () => {
    const { code, stdout } = await shipgate(['completion', 'bash']);
    expect(code).toBe(0);
    const probe = `${stdout}\nCOMP_WORDS=(shipgate gate --wa); COMP_CWORD=2; _shipgate; echo "\${COMPREPLY[*]}"`;
    expect(spawnSync('bash', ['--norc', '-c', probe], { encoding: 'utf8' }).stdout.trim()).toBe('--wait');
    const complete = (...words: readonly string[]): string => {
      const call = `COMP_WORDS=(shipgate ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`;
      const text = `${stdout}\n${call}; _shipgate; echo "\${COMPREPLY[*]}"`;
      return spawnSync('bash', ['--norc', '-c', text], { encoding: 'utf8' }).stdout.trim();
    };
    expect(complete('release', 's')).toBe('show start');
    expect(complete('release', 'a')).toBe('approval');
    expect(complete('policy', '')).toMatch(/^check schema --remote /);
    expect(complete('completion', 'f')).toBe('fish');
    expect(complete('upload', '--kind', 'e2')).toBe('e2e_tests');
    expect(complete('upload', '--format', 'go')).toBe('go-test go-cover');
    expect(complete('release', 'list', '--outcome', '')).toBe('blocked needs_approval ready_to_deploy in_progress');
    expect(complete('release', 'list', '--sort', 'u')).toBe('updated urgency');
    expect(complete('upload', '--repo', '')).toBe('');
    for (const shell of ['zsh', 'fish']) expect(await shipgate(['completion', shell])).toMatchObject({ code: 0 });
    expect(await shipgate(['completion', 'csh'])).toMatchObject({ code: 2 });
  });
});
