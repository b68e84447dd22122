import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { givenSigner } from '../../../test/support/given-statement.js';
import { readStatementKeys } from './statement-keys.js';

const [one, another] = [givenSigner(), givenSigner()];
const pem = ({ publicKey }: typeof one): string => publicKey.export({ type: 'spki', format: 'pem' }).toString();
const jwk = ({ x, keyId }: typeof one, retiredAt: string | null) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid: keyId,
  retiredAt,
});

describe('readStatementKeys', () => {
  it('reads a key set with the time at which a key was retired', () => {
    const text = JSON.stringify({ keys: [jwk(one, null), jwk(another, '2026-05-04T10:00:00.000Z')] });
    expect(readStatementKeys(text)).toEqual([
      { keyId: one.keyId, x: one.x, retiredAt: null },
      { keyId: another.keyId, x: another.x, retiredAt: '2026-05-04T10:00:00.000Z' },
    ]);
  });

  it('reads one and several keys in PEM', () => {
    expect(readStatementKeys(pem(one))).toEqual([{ keyId: one.keyId, x: one.x, retiredAt: null }]);
    expect(readStatementKeys(`current\n${pem(one)}${pem(another)}`)?.map(({ x }) => x)).toEqual([one.x, another.x]);
  });

  it('rejects keys of another kind, also beside one of ours, and everything else', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const text = other.export({ type: 'spki', format: 'pem' }).toString();
    const broken = pem(one).replace('MC', 'MD');
    for (const given of [text, `${pem(one)}${text}`, broken, '', '{}', '{"keys":[]}']) {
      expect(readStatementKeys(given)).toBeNull();
    }
  });
});
