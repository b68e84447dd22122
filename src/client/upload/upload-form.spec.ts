import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UploadForm } from './upload-form.js';

const CONTENT = '<testsuites/>';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-form-'));
  file = path.join(folder, 'junit.xml');
  writeFileSync(file, CONTENT);
});
afterEach(() => rmSync(folder, { recursive: true }));

const formOf = (name = 'junit.xml'): UploadForm => {
  const digest = createHash('sha256').update(CONTENT).digest('hex');
  return new UploadForm(
    { repo: 'acme/payments' },
    [{ name, path: file, size: CONTENT.length, sha256: digest }],
    () => undefined,
  );
};

describe('UploadForm', () => {
  it('has a part for each field and each file, and the same bytes at each reading', async () => {
    const form = formOf(String.raw`a "b" \c.xml`);
    const text = (await buffer(form.read({ compressed: false }))).toString('utf8');
    const boundary = form.contentType.split('boundary=')[1];
    expect(text).toBe(
      [
        `--${boundary}`,
        'Content-Disposition: form-data; name="repo"',
        '',
        'acme/payments',
        `--${boundary}`,
        String.raw`Content-Disposition: form-data; name="file"; filename="a \"b\" \\c.xml"`,
        'Content-Type: application/octet-stream',
        '',
        CONTENT,
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    );
    expect(gunzipSync(await buffer(form.read({ compressed: true }))).toString('utf8')).toBe(text);
  });

  it.each<[string, () => void]>([
    ['grew', () => appendFileSync(file, ' ')],
    ['shrank', () => writeFileSync(file, CONTENT.slice(1))],
    ['has other content', () => writeFileSync(file, CONTENT.toUpperCase())],
  ])('cannot be read to its end if a file %s after it was selected', async (_, change) => {
    const form = formOf();
    change();
    for (const compressed of [false, true]) {
      await expect(buffer(form.read({ compressed }))).rejects.toThrow('junit.xml changed while it was read.');
    }
  });
});
