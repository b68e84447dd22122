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
