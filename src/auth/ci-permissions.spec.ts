import { describe, expect, it } from '@jest/globals';
import type { ApiKeyCaller, IdentityTokenCaller } from './caller.js';
import { canReadGate, canUploadTo } from './ci-permissions.js';

const OWN = { id: 'own', githubId: 1 };
const OTHER = { id: 'other', githubId: 2 };
const run = { kind: 'identity_token', repositoryGithubId: 1 } as IdentityTokenCaller;
const key = (repositoryIds: readonly string[] | null) => ({ kind: 'api_key', repositoryIds }) as ApiKeyCaller;

describe('the permissions of a caller for a repository of its workspace', () => {
  it.each([
    ['a run', run, { upload: [true, false], gate: [true, true] }],
    ['a key of every repository', key(null), { upload: [true, true], gate: [true, true] }],
    ['a key of this repository', key(['own']), { upload: [true, false], gate: [true, false] }],
    ['a key without remaining repositories', key([]), { upload: [false, false], gate: [false, false] }],
  ])('%s', (_, caller, { upload, gate }) => {
    expect([OWN, OTHER].map((repository) => canUploadTo(caller, repository))).toEqual(upload);
    expect([OWN, OTHER].map((repository) => canReadGate(caller, repository))).toEqual(gate);
  });
});
