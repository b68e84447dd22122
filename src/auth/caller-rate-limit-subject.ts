import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { UnreadForm } from '../http/body/unread-form.js';
import type { RateLimitName } from '../http/rate-limit/rate-limit.policy.js';
import { RateLimitSubject, TOLD_BY_BODY } from '../http/rate-limit/rate-limit-subject.js';
import { type ApiKeyCaller, findCaller, findCredential } from './caller.js';
import type { Person } from './person.js';

/**
 * Counts the limits of uploads and of the gate for each repository: an identity token's own, and each that an API key
 * asks for. Those of sessions are counted for each person, whatever sessions they have.
 */
@Injectable()
export class CallerRateLimitSubject extends RateLimitSubject {
  of(name: RateLimitName, request: FastifyRequest): string | typeof TOLD_BY_BODY | null {
    const caller = findCaller(request);
    if (name === 'session') return caller && 'person' in caller ? subjectOfPerson(caller.person) : null;
    if (name !== 'upload' && name !== 'gate') return null;
    if (caller?.kind === 'identity_token') return `repository:${caller.repositoryGithubId}`;
    if (caller?.kind === 'api_key') {
      return request.body instanceof UnreadForm ? TOLD_BY_BODY : subjectOfKey(caller, repositoryAsked(request));
    }
    const credential = findCredential(request);
    if (credential?.kind === 'identity_token') return `repository:${credential.claims.repositoryGithubId}`;
    if (credential?.kind === 'api_key') {
      return `key:${credential.secretHash.toString('base64url')}:${labelOf(repositoryAsked(request))}`;
    }
    return null;
  }
}

/** Whose tokens a person's requests spend, in whatever session. */
export const subjectOfPerson = ({ id }: Pick<Person, 'id'>): string => `person:${id}`;

/** Whose tokens an API key spends that asks for `repo`, as it writes it. */
export const subjectOfKey = ({ keyId }: Pick<ApiKeyCaller, 'keyId'>, repo: unknown): string =>
  `key:${keyId}:${labelOf(repo)}`;

function repositoryAsked({ query, body }: FastifyRequest): unknown {
  const { repo } = { ...(query as object), ...(body as object) } as { repo?: unknown };
  return repo;
}

/** The name of a repository as it is written, without its owner, in lower case; empty where it is no name. */
function labelOf(repo: unknown): string {
  const label = typeof repo === 'string' ? repo.slice(repo.lastIndexOf('/') + 1).toLowerCase() : '';
  return /^[\w.-]{1,100}$/.test(label) ? label : '';
}
