import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { toOrgId } from '../database/ids.js';
import { findLoggedCaller } from '../observability/request-logging.js';
import {
  type Caller,
  type UnresolvedCredential,
  findCaller,
  findCredential,
  setCaller,
  setCredential,
  type ApiKeyCaller,
  type IdentityTokenCaller,
  canReadGate,
  canUploadTo,
} from './caller.js';

const orgId = toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11');

describe('the caller of a request', () => {
  it('is unknown until a caller was authorized', () => {
    const request = {} as FastifyRequest;
    expect([findCaller(request), findCredential(request), findLoggedCaller(request)]).toEqual([null, null, null]);
  });

  it.each([
    ['api_key', orgId],
    ['identity_token', orgId],
    ['member', orgId],
    ['user', null],
  ])('is logged only with its kind and workspace: %s', (kind, logged) => {
    const caller = { kind, orgId: logged ?? undefined, keyId: 'k1' } as unknown as Caller;
    const request = {} as FastifyRequest;
    setCaller(request, caller);
    expect(findCaller(request)).toBe(caller);
    expect(findCredential(request)).toBeNull();
    expect(findLoggedCaller(request)).toEqual({ kind, orgId: logged });
  });

  it('is not set by an unresolved credential', () => {
    const credential = { kind: 'api_key' } as UnresolvedCredential;
    const request = {} as FastifyRequest;
    setCredential(request, credential);
    expect(findCredential(request)).toBe(credential);
    expect(findCaller(request)).toBeNull();
    expect(findLoggedCaller(request)).toBeNull();
  });
});

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
