import { describe, expect, it } from '@jest/globals';
import { readIdentityClaims } from './token-claims.js';

const SHA = 'd6fd0f59f1a1a4bfa1ee29d4ea9aa65ea7e2c1a5';
const payload = {
  jti: 'b7b1a8f2-4ee0-4e0c-9a34-6bbd0b6b7a7f',
  sub: 'repo:acme/payments:ref:refs/heads/main',
  ref: 'refs/heads/main',
  sha: SHA,
  repository: 'acme/payments',
  repository_id: '74',
  repository_owner: 'acme',
  repository_owner_id: '65',
  run_id: '9007199254740991',
  run_attempt: '2',
  event_name: 'workflow_dispatch',
  workflow: 'shipgate-ci',
  environment: 'Production',
  check_run_id: '31',
};

describe('readIdentityClaims', () => {
  it("reads GitHub's claims", () => {
    expect(readIdentityClaims(payload)).toEqual({
      ok: true,
      claims: {
        jti: payload.jti,
        repositoryGithubId: 74,
        ownerGithubId: 65,
        repository: 'acme/payments',
        sha: SHA,
        ref: 'refs/heads/main',
        runId: 9007199254740991,
        runAttempt: 2,
        event: 'workflow_dispatch',
        workflow: 'shipgate-ci',
        environment: 'Production',
        checkRunId: 31,
      },
    });
  });

  it('accepts ids as integers, and sets defaults for optional claims', () => {
    const { run_attempt: _a, ref: _r, workflow: _w, environment: _e, check_run_id: _c, ...least } = payload;
    expect(readIdentityClaims({ ...least, repository_id: 74, repository_owner_id: 65, run_id: 7 })).toMatchObject({
      ok: true,
      claims: {
        repositoryGithubId: 74,
        runId: 7,
        runAttempt: 1,
        ref: null,
        workflow: null,
        environment: null,
        checkRunId: null,
      },
    });
  });

  const required = ['jti', 'repository_id', 'repository_owner_id', 'repository', 'sha', 'run_id', 'event_name'];

  it.each(required)('names the missing claim %s', (claim) => {
    expect(readIdentityClaims({ ...payload, [claim]: undefined })).toEqual({ ok: false, claim });
    const { [claim as 'jti']: _, ...rest } = payload;
    expect(readIdentityClaims(rest)).toEqual({ ok: false, claim });
    // A property that every object inherits is not a claim.
    expect(readIdentityClaims(Object.create(payload) as Record<string, unknown>)).toMatchObject({ ok: false });
  });

  it.each(Object.keys(payload).filter((claim) => claim !== 'sub' && claim !== 'repository_owner'))(
    'rejects %s of another type',
    (claim) => {
      for (const value of [null, true, {}, [], [payload[claim as 'jti']], '', '\u0000', 1.5, -1, 0]) {
        expect(readIdentityClaims({ ...payload, [claim]: value })).toEqual({ ok: false, claim });
      }
    },
  );

  it.each(['repository_id', 'repository_owner_id', 'run_id', 'run_attempt', 'check_run_id'])(
    'rejects %s beyond the safe integers, and other notations of a number',
    (claim) => {
      for (const value of [
        '9007199254740992',
        9007199254740992,
        '99999999999999999999',
        '007',
        '+7',
        ' 7',
        '7\n',
        '0x7',
        '٧',
        '7.0',
        'NaN',
        Infinity,
      ]) {
        expect(readIdentityClaims({ ...payload, [claim]: value })).toEqual({ ok: false, claim });
      }
    },
  );

  it.each([
    ['jti', 'x'.repeat(257)],
    ['jti', 'a\u0000b'],
    ['jti', 'a\ud800b'],
    ['ref', `refs/heads/${'x'.repeat(1024)}`],
    ['ref', 'refs/heads/a\nb'],
    ['workflow', 'x'.repeat(1025)],
    ['repository', 'acme'],
    ['repository', 'acme/payments/x'],
    ['repository', '/payments'],
    ['repository', `acme/${'x'.repeat(200)}`],
    ['sha', SHA.slice(1)],
    ['sha', `${SHA}0`],
    ['sha', SHA.toUpperCase()],
    ['sha', SHA.replace('d', 'g')],
    ['event_name', 'push '],
    ['event_name', 'Push'],
    ['event_name', 'x'.repeat(65)],
  ])('rejects %s with an invalid shape', (claim, value) => {
    expect(readIdentityClaims({ ...payload, [claim]: value })).toEqual({ ok: false, claim });
  });

  it('never reads sub', () => {
    expect(readIdentityClaims({ ...payload, sub: { not: 'text' } })).toMatchObject({ ok: true });
  });
});
