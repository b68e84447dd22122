import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { OrgId } from '../database/ids.js';
import { type RateLimitCount, RateLimitSubject } from '../http/rate-limit/rate-limit.guard.js';
import type { RateLimitName } from '../http/rate-limit/rate-limits.js';
import { findCaller, findCredential } from './caller.js';
import type { GovernedRepository } from './ci-permissions.js';
import type { User } from './user.js';

/**
 * Counts the limits of uploads and of the gate for each repository: of a run before anything else is done for it, because
 * its token names its own. A key has a limit of its own, and the routes count by repository once they have found the one
 * that it asks for: the names that a request sends are its sender's. Limits of sessions are counted for each person.
 */
@Injectable()
export class CallerRateLimitKey extends RateLimitSubject {
  of(name: RateLimitName, request: FastifyRequest): RateLimitCount | null {
    const caller = findCaller(request);
    if (name === 'session') {
      return caller && 'user' in caller ? { name, subject: userRateLimitKey(caller.user), counted: 'now' } : null;
    }
    if (name !== 'upload' && name !== 'gate') return null;
    const credential = findCredential(request);
    const run = caller ?? (credential?.kind === 'identity_token' ? credential.claims : null);
    if (run && 'repositoryGithubId' in run) {
      return { name, subject: `repository:${run.repositoryGithubId}`, counted: 'now' };
    }
    if (caller?.kind === 'api_key') {
      // Only uploads are counted by repository besides.
      return { name: name === 'upload' ? 'key' : name, subject: `key:${caller.keyId}`, counted: 'now' };
    }
    if (credential?.kind === 'api_key') {
      return { name: 'key', subject: subjectOfHash(credential.secretHash), counted: 'later' };
    }
    return null;
  }
}

/** Whose tokens a person's requests spend, in whatever session. */
export const userRateLimitKey = ({ id }: Pick<User, 'id'>): string => `person:${id}`;

/** Whose tokens a key spends of which nothing but the digest of its secret is known. */
export const subjectOfHash = (secretHash: Buffer): string => `key:${secretHash.toString('base64url')}`;

/**
 * Whose tokens a key spends that asks for this repository. All names that are none of its repositories share one bucket in a
 * workspace, so that a request cannot have another one by sending another name.
 */
export const subjectOfRepository = (orgId: OrgId, repository: Pick<GovernedRepository, 'githubId'> | null): string =>
  repository === null ? `unknown:${orgId}` : `repository:${repository.githubId}`;
