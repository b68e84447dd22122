import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigstoreInstance, type SigstoreInstance } from '../../test/support/sigstore-instance.js';
import { builtInRoots, parseTrustedRoot, readTrustedRoots } from './trusted-root.js';

let instance: SigstoreInstance;
let folder: string;

beforeAll(async () => {
  instance = await createSigstoreInstance('public');
  folder = mkdtempSync(join(tmpdir(), 'roots-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Json = Record<string, unknown>;

/** Returns the root of the instance with a change. */
function changed(change: (root: Json) => void): object {
  const root = structuredClone(instance.trustedRoot) as Json;
  change(root);
  return root;
}
const first = (root: Json, list: string): Json => (root[list] as Json[])[0] ?? {};

describe('builtInRoots', () => {
  it('contains the public instance and that of GitHub, which are valid', () => {
    const found = builtInRoots().map(({ name, expiresAt }) => [name, expiresAt.toISOString().slice(0, 10)]);
    expect(found).toEqual([
      ['public-good', '2031-10-05'],
      ['github', expect.stringMatching(/^20(2[7-9]|3\d)-/)],
    ]);
  });
});

describe('parseTrustedRoot', () => {
  it.each<[string, (root: Json) => void, string]>([
    ['no certificate authority', (root) => delete root['certificateAuthorities'], 'no certificate authority'],
    ['neither a log nor a timestamp authority', (root) => delete root['tlogs'], 'proves no time'],
    [
      'an authority without certificates',
      (root) => (first(root, 'certificateAuthorities')['certChain'] = {}),
      'without certificates',
    ],
    [
      'an authority without validity',
      (root) => delete first(root, 'certificateAuthorities')['validFor'],
      'start of its validity',
    ],
    [
      'an authority without a start',
      (root) => (first(root, 'certificateAuthorities')['validFor'] = { end: '2030-01-01T00:00:00Z' }),
      'start of its validity',
    ],
    [
      'a start that is no time',
      (root) => (first(root, 'certificateAuthorities')['validFor'] = { start: 'soon' }),
      'start of its validity',
    ],
    [
      'a log without a start',
      (root) => delete (first(root, 'tlogs')['publicKey'] as Json)['validFor'],
      'start of its validity',
    ],
    [
      'a certificate log without a start',
      (root) => delete (first(root, 'ctlogs')['publicKey'] as Json)['validFor'],
      'start of its validity',
    ],
    [
      'an end before the start',
      (root) =>
        (first(root, 'certificateAuthorities')['validFor'] = {
          start: '2026-01-02T00:00:00Z',
          end: '2026-01-01T00:00:00Z',
        }),
      'ends before it begins',
    ],
  ])('rejects a root with %s', (_, change, reason) => {
    expect(() => parseTrustedRoot('given', changed(change))).toThrow(reason);
  });

  it.each([null, 7, 'text', [], {}])('rejects %j', (json) => {
    expect(() => parseTrustedRoot('given', json)).toThrow(/trusted root|[Oo]bject|null|undefined/);
  });
});

describe('readTrustedRoots', () => {
  const names = (path: string): readonly string[] => readTrustedRoots(path).map(({ name }) => name.replace(folder, ''));

  it('reads a file with one root, a file with one a line, and a folder of such files', () => {
    const json = JSON.stringify(instance.trustedRoot);
    mkdirSync(join(folder, 'all', 'below'), { recursive: true });
    writeFileSync(join(folder, 'all', 'one.json'), JSON.stringify(instance.trustedRoot, null, 2));
    writeFileSync(join(folder, 'all', 'two.jsonl'), `${json}\n\n${json}\n`);
    writeFileSync(join(folder, 'all', '.hidden'), 'no root');
    expect(names(join(folder, 'all', 'one.json'))).toEqual(['/all/one.json']);
    expect(names(join(folder, 'all', 'two.jsonl'))).toEqual(['/all/two.jsonl:1', '/all/two.jsonl:3']);
    expect(names(join(folder, 'all'))).toEqual(['/all/one.json', '/all/two.jsonl:1', '/all/two.jsonl:3']);
  });

  it('names the file and the line that it cannot read', () => {
    writeFileSync(join(folder, 'bad.jsonl'), `${JSON.stringify(instance.trustedRoot)}\nno root\n`);
    expect(() => readTrustedRoots(join(folder, 'bad.jsonl'))).toThrow(/bad\.jsonl:2 is not JSON/);
    expect(() => readTrustedRoots(join(folder, 'missing'))).toThrow(/missing/);
  });
});
