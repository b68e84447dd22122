import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RateLimitName } from '../http/rate-limit/rate-limit.policy.js';
import { RateLimitSubject } from '../http/rate-limit/rate-limit-subject.js';
import { findCaller, findCredential } from './caller.js';
import type { Person } from './person.js';

/**
 * Counts the limits of uploads and of the gate for each repository: an identity token's own, and each that an API key
 * asks for. Those of sessions are counted for each person, whatever sessions they have.
 */
@Injectable()
export class CallerRateLimitSubject extends RateLimitSubject {
  of(name: RateLimitName, request: FastifyRequest): string | null {
    const caller = findCaller(request);
    if (name === 'session') return caller && 'person' in caller ? subjectOfPerson(caller.person) : null;
    if (name !== 'upload' && name !== 'gate') return null;
    if (caller?.kind === 'identity_token') return `repository:${caller.repositoryGithubId}`;
    if (caller?.kind === 'api_key') return `key:${caller.keyId}:${repositoryAsked(request)}`;
    const credential = findCredential(request);
    if (credential?.kind === 'identity_token') return `repository:${credential.claims.repositoryGithubId}`;
    if (credential?.kind === 'api_key') {
      return `key:${credential.secretHash.toString('base64url')}:${repositoryAsked(request)}`;
    }
    return null;
  }
}

/** Whose tokens a person's requests spend, in whatever session. */
export const subjectOfPerson = ({ id }: Pick<Person, 'id'>): string => `person:${id}`;

/** The repository's name as the request writes it, without its owner, in lower case; empty where it is no name. */
function repositoryAsked({ query, body }: FastifyRequest): string {
  const { repo } = { ...(query as object), ...(body as object) } as { repo?: unknown };
  const label = typeof repo === 'string' ? repo.slice(repo.lastIndexOf('/') + 1).toLowerCase() : '';
  return /^[\w.-]{1,100}$/.test(label) ? label : '';
}
