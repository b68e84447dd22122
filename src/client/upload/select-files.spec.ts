import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { selectFiles } from './select-files.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'shipgate-files-'));
  for (const name of [
    'a/junit.xml',
    'a/b/junit.xml',
    'a/.hidden/junit.xml',
    'a/[chromium].xml',
    'a/c.xml',
    'node_modules/x/junit.xml',
    'a/node_modules/junit.xml',
    '.git/junit.xml',
  ]) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), name);
  }
});
afterEach(() => rmSync(cwd, { recursive: true }));

const names = async (...patterns: readonly string[]): Promise<readonly string[]> =>
  (await selectFiles(patterns, { cwd, allowEmpty: false })).map(({ name }) => name);

describe('selectFiles', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['a file', ['a/junit.xml'], ['a/junit.xml']],
    ['a file whose name looks like a pattern', ['a/[chromium].xml'], ['a/[chromium].xml']],
    ['a pattern', ['a/[abc].xml'], ['a/c.xml']],
    [
      'a folder, with hidden files and without installed packages',
      ['a'],
      ['a/.hidden/junit.xml', 'a/[chromium].xml', 'a/b/junit.xml', 'a/c.xml', 'a/junit.xml'],
    ],
    ['the same file once', ['a/junit.xml', '**/junit.xml', '!a/b/**', '!**/.hidden/**'], ['a/junit.xml']],
    ['an excluded file by its name', ['a/*.xml', '!a/c.xml', '!a/junit.xml'], ['a/[chromium].xml']],
    ['a path with a dot before it', ['./a/c.xml'], ['a/c.xml']],
  ])('selects %s', async (_, patterns, expected) => {
    expect(await names(...patterns)).toEqual(expected);
  });

  it.each<[string, readonly string[], string]>([
    ['no pattern', [], 'No file is named.'],
    ['an empty pattern', ['a/c.xml', ''], 'A pattern is empty.'],
    ['only exclusions', ['!a/c.xml'], 'No file is named.'],
    ['a pattern without a match', ['a/c.xml', '*.sarif'], 'No file matches *.sarif.'],
    ['a folder that is never entered', ['node_modules'], 'No file matches node_modules.'],
    ['a file that an exclusion removes', ['a/c.xml', '!**'], 'No file matches a/c.xml.'],
  ])('rejects %s', async (_, patterns, sentence) => {
    await expect(names(...patterns)).rejects.toThrow(sentence);
  });

  it('rejects a file whose name is not valid text, because no call can open it', async () => {
    writeFileSync(Buffer.from([...Buffer.from(path.join(cwd, 'a/')), 0xff, ...Buffer.from('.xml')]), 'red');
    await expect(names('a/*.xml')).rejects.toThrow('cannot be read, so a report could be missed.');
    await expect(names('.')).rejects.toThrow('cannot be read');
    expect(await names('a/c*.xml')).toEqual(['a/c.xml']);
  });

  it('rejects more than 500 files, files over 10 MB and uploads over 25 MB before anything is sent', async () => {
    mkdirSync(path.join(cwd, 'many'));
    for (let at = 0; at <= 500; at += 1) writeFileSync(path.join(cwd, 'many', `${at}.xml`), '');
    await expect(names('many')).rejects.toThrow('501 files match.');
    writeFileSync(path.join(cwd, 'large.xml'), Buffer.alloc(10_485_761));
    await expect(names('large.xml')).rejects.toThrow('The largest: large.xml (10.0 MB).');
    mkdirSync(path.join(cwd, 'sum'));
    for (const name of ['1', '2', '3']) writeFileSync(path.join(cwd, 'sum', name), Buffer.alloc(9_000_000));
    await expect(names('sum')).rejects.toThrow('The files have 25.7 MB together.');
  });

  it('returns the size and the digest of each file', async () => {
    const [file] = await selectFiles(['a/c.xml'], { cwd, allowEmpty: false });
    expect(file).toMatchObject({ size: 7, sha256: '0822d2ee140ceb44a5f017d36213726a079d9a95c6aace75051974b90afe7eb3' });
  });
});
