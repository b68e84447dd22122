import { describe, expect, it } from '@jest/globals';
import { checkTrustedRoots } from './trusted-roots-check.js';

const at = (time: string): { now: () => Date } => ({ now: () => new Date(time) });

describe('checkTrustedRoots', () => {
  it('accepts the roots that ship with the service', async () => {
    expect(await checkTrustedRoots({ trustedRoots: null }, at('2026-12-01T00:00:00Z'))).toMatchObject([
      { status: 'ok' },
    ]);
  });

  it('warns of a root that expires within two months', async () => {
    const found = await checkTrustedRoots({ trustedRoots: null }, at('2031-09-01T00:00:00Z'));
    expect(found.map(({ status }) => status)).toContain('warn');
    expect(found.map(({ message }) => message).join()).toContain(
      'the root public-good verifies no build after 2031-10-05',
    );
  });

  it('fails for a path that cannot be read', async () => {
    expect(await checkTrustedRoots({ trustedRoots: '/missing' }, at('2026-12-01T00:00:00Z'))).toMatchObject([
      { status: 'fail' },
    ]);
  });
});
