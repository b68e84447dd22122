import { describe, expect, it } from '@jest/globals';
import type { ApiKeyCaller, IdentityTokenCaller } from '../../../auth/caller.js';
import { toOrigin } from './upload-content.js';

const key = { kind: 'api_key' } as ApiKeyCaller;
const token = { kind: 'identity_token', runId: 9123, runAttempt: 2, checkRunId: 77 } as IdentityTokenCaller;
const NOTHING = { runUrl: null, runAttempt: null };

describe('originOf', () => {
  it('returns the run that the token proves, regardless of the stated one', () => {
    expect(toOrigin(token, { runUrl: 'https://ci.example/7', runAttempt: 9 })).toEqual({
      run: { id: '9123', proven: true },
      attempt: 2,
      checkRunId: 77,
    });
  });

  it('returns no run and the first attempt if a key states nothing', () => {
    expect(toOrigin(key, NOTHING)).toEqual({ run: null, attempt: 1, checkRunId: null });
    expect(toOrigin(key, { ...NOTHING, runAttempt: 3 })).toMatchObject({ run: null, attempt: 3 });
  });

  it.each([
    ['https://ci.example/job/7?build=8', 'https://ci.example/job/7?build=8', 1],
    ['https://CI.example:443/job/7#log', 'https://ci.example/job/7', 1],
    ['https://github.com/a/b/actions/runs/12', 'https://github.com/a/b/actions/runs/12', 1],
    ['https://github.com/a/b/actions/runs/12/', 'https://github.com/a/b/actions/runs/12', 1],
    ['https://github.com/a/b/actions/runs/12/attempts/3', 'https://github.com/a/b/actions/runs/12', 3],
    ['https://ci.example/actions/runs/9223372036854775807', 'https://ci.example/actions/runs/9223372036854775807', 1],
    ['https://ci.example/attempts/3', 'https://ci.example/attempts/3', 1],
  ])('reads %s as a claimed run', (runUrl, id, attempt) => {
    expect(toOrigin(key, { runUrl, runAttempt: null })).toEqual({
      run: { id, proven: false },
      attempt,
      checkRunId: null,
    });
  });

  it('prefers the stated attempt to the one in the URL', () => {
    const runUrl = 'https://github.com/a/b/actions/runs/12/attempts/3';
    expect(toOrigin(key, { runUrl, runAttempt: 4 })).toMatchObject({ attempt: 4 });
  });
});
