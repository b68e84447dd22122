import { describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import type { GitHubSettings } from '../github-settings.js';
import { AppJwt } from './installation-tokens.js';

const keys = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const pemOf = ({ privateKey }: ReturnType<typeof keys>): string =>
  privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;

describe('AppJwt', () => {
  const clock = new FixedClock();
  const settings = { appId: '7', privateKey: '' };
  const jwt = new AppJwt(settings as GitHubSettings, clock);
  const [first, second] = [keys(), keys()];
  const currentDate = clock.now();

  it('signs with the current key of the app after it signed with another key', async () => {
    for (const pair of [first, first, second, first]) {
      settings.privateKey = pemOf(pair);
      const { payload } = await jwtVerify(await jwt.sign(), pair.publicKey, { currentDate });
      expect(payload.iss).toBe('7');
    }
  });

  it('fails with an error that does not contain the key if the key is invalid, also after a valid key', async () => {
    settings.privateKey = pemOf(first);
    await jwt.sign();
    settings.privateKey = 'hunter2';
    await expect(jwt.sign()).rejects.toMatchObject({
      message: expect.not.stringContaining('hunter2'),
      kind: 'unauthorized',
    });
  });
});
