import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { OrgId } from '../database/ids.js';
import { type RateLimitCount, RateLimitKeyProvider } from '../http/rate-limit/rate-limit.guard.js';
import type { RateLimitName } from '../http/rate-limit/rate-limits.js';
import type { Repository } from '../workspaces/repositories.repository.js';
import { findCaller, findCredential } from './caller.js';
import type { User } from './user.js';

/**
 * Counts uploads and gate requests by repository, and requests of sessions by user. The token of a run names its repository, so
 * the guard counts it. A key has its own limit; its route counts by repository after it has found the requested one, because
 * the name in a request is not verified.
 */
@Injectable()
export class CallerRateLimitKey extends RateLimitKeyProvider {
  findCount(name: RateLimitName, request: FastifyRequest): RateLimitCount | null {
    const caller = findCaller(request);
    if (name === 'session') {
      return caller && 'user' in caller ? { name, subject: userRateLimitKey(caller.user), counted: 'now' } : null;
    }
    if (name !== 'upload' && name !== 'gate') return null;
    // Users have one limit, also on the routes of the gate.
    if (name === 'gate' && caller && 'user' in caller) return this.findCount('session', request);
    const credential = findCredential(request);
    const run = caller ?? (credential?.kind === 'identity_token' ? credential.claims : null);
    if (run && 'repositoryGithubId' in run) {
      return { name, subject: `repository:${run.repositoryGithubId}`, counted: 'now' };
    }
    if (caller?.kind === 'api_key') {
      // Uploads are also counted by repository.
      return { name: name === 'upload' ? 'key' : name, subject: `key:${caller.keyId}`, counted: 'now' };
    }
    if (credential?.kind === 'api_key') {
      return { name: 'key', subject: apiKeyRateLimitKey(credential.secretHash), counted: 'later' };
    }
    return null;
  }
}

/** Returns the rate limit key of a user, the same for all sessions. */
export const userRateLimitKey = ({ id }: Pick<User, 'id'>): string => `person:${id}`;

/** Returns the rate limit key of an API key before it is found. */
export const apiKeyRateLimitKey = (secretHash: Buffer): string => `key:${secretHash.toString('base64url')}`;

/**
 * Returns the rate limit key of an API key's requests for a repository. All unknown names of a workspace share one key, so that
 * another name gives no new limit.
 */
export const repositoryRateLimitKey = (orgId: OrgId, repository: Pick<Repository, 'githubId'> | null): string =>
  repository === null ? `unknown:${orgId}` : `repository:${repository.githubId}`;
