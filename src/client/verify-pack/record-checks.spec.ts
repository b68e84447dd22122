import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenPackFiles, givenSigner, packOf } from '../../../test/support/given-pack.js';
import { verifyPack } from './verify-pack.js';

const signer = givenSigner();

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'shipgate-records-'))));
afterAll(() => rmSync(folder, { recursive: true }));

async function verify(bytes: Buffer): Promise<{ readonly isIntact: boolean; readonly said: string }> {
  const path = join(folder, 'pack.zip');
  writeFileSync(path, bytes);
  const lines: string[] = [];
  const isIntact = (await verifyPack(path, null, (line) => lines.push(line))) === 'intact';
  return { isIntact, said: lines.join('\n') };
}

describe('a pack with a valid signature over invalid content', () => {
  const changed = (path: string, change: (text: string) => string): Map<string, Buffer> => {
    const own = givenPackFiles(signer);
    const before = own.get(path)?.toString() ?? '';
    const after = change(before);
    expect(after).not.toBe(before);
    return own.set(path, Buffer.from(after));
  };

  it.each<[string, string, (text: string) => string, string]>([
    [
      'a decision',
      'decisions/00001-d.json',
      (t) => t.replace('"testsPassing": true', '"testsPassing": false'),
      'does not follow from its inputs',
    ],
    ...['"open": ', '"candidateSha": ', '"policyDigest": ', '"at": '].map(
      (member) =>
        [
          `a copied field of a decision (${member.trim()})`,
          'decisions/00001-d.json',
          (t: string) => t.replace(new RegExp(`${member}.*`), `${member}"2026-01-01",`),
          'has a verdict that differs from its other members',
        ] as [string, string, (text: string) => string, string],
    ),
    ['a deployment by a missing decision', 'history.json', (t) => t.replace('"d"', '"x"'), 'the deployment h of'],
    [
      'a deployment by no decision',
      'history.json',
      (t) => t.replace('"d"', 'null'),
      'has no decision with an open gate in the pack',
    ],
    [
      'an approved document',
      'evidence-pulls/7/evidence.json',
      (t) => t.replace('87.5', '97.5'),
      'has no valid signature',
    ],
    [
      'an entry of the audit log',
      'audit-log.json',
      (t) => t.replace('"ada"', '"eve"'),
      'entry 1 of audit-log.json does not match',
    ],
    [
      'the report that evidence names',
      'evidence/00001-e.json',
      (t) => t.replace(/"sha256": "./, '"sha256": "x'),
      'which is not in the pack',
    ],
  ])('reports that %s is invalid', async (_, path, change, reports) => {
    const { isIntact, said: gateAnswer } = await verify(await packOf(signer, changed(path, change)));
    expect([isIntact, gateAnswer]).toEqual([false, expect.stringContaining(reports)]);
  });

  it('reports a missing file that an approved document names', async () => {
    const own = givenPackFiles(signer);
    const evidence = own.get('evidence/00001-e.json')?.toString() ?? '';
    own.set('evidence/00001-e.json', Buffer.from(evidence.replace(/"reports": \[[^\]]*\]/, '"reports": []')));
    const packed = [...own].filter(([path]) => !path.startsWith('reports/'));
    const { isIntact, said: gateAnswer } = await verify(await packOf(signer, new Map(packed)));
    expect([isIntact, gateAnswer]).toEqual([
      false,
      expect.stringContaining('evidence-pulls/7/evidence.json names the file "junit.xml", which is not in the pack'),
    ]);
  });

  it('reports a missing bundle that an artifact names, unless the retention deleted it', async () => {
    const verifyWith = async (size: number | null) => {
      const artifacts = [{ name: 'api', bundles: [{ sha256: 'b'.repeat(64), size }] }];
      return verify(
        await packOf(signer, givenPackFiles(signer).set('artifacts.json', Buffer.from(JSON.stringify(artifacts)))),
      );
    };
    const { isIntact, said } = await verifyWith(7);
    expect([isIntact, said]).toEqual([false, expect.stringContaining(`names the bundle ${'b'.repeat(64)} of "api"`)]);
    expect((await verifyWith(null)).isIntact).toBe(true);
  });

  it.each([
    ['no decision', 'decisions/00001-d.json', '[]'],
    ['no JSON', 'audit-log.json', 'x'],
    ['nothing', 'keys.json', 'null'],
  ])('reports a file that is %s', async (_, path, text) => {
    const { isIntact, said: gateAnswer } = await verify(
      await packOf(signer, givenPackFiles(signer).set(path, Buffer.from(text))),
    );
    expect([isIntact, gateAnswer]).toEqual([
      false,
      expect.stringMatching(/cannot be read as an audit pack|does not follow/),
    ]);
  });

  it('prints no control characters of a name to the terminal', async () => {
    const odd = changed('evidence/00001-e.json', (text) => text.replace('"junit.xml"', '"\\u001b[2J\\u202ejunit"'));
    const { said: gateAnswer } = await verify(
      await packOf(signer, new Map([...odd].filter(([path]) => !path.startsWith('reports/')))),
    );
    expect(gateAnswer).toContain('names the report');
    expect(gateAnswer).toMatch(/^[\x20-\x7e\n]*$/);
  });
});
