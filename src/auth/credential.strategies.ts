import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import passport, { Strategy } from 'passport';
import type { AccessRule } from './access.decorators.js';
import { readBearer } from './bearer.js';
import type { CiCredential, MemberCaller, PersonalKeyCaller, UserCaller } from './caller.js';
import { CiAuthService } from './ci-auth.service.js';
import { PersonalKeyAuthService } from './personal-key-auth.service.js';
import { SessionRateLimitService } from './session/session-rate-limit.service.js';

/**
 * The object that the guard passes to the strategies instead of the request. Passport adds a dozen members to its argument. On the
 * request they would change its hidden class and slow down each later access.
 */
export interface CredentialCheck {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly rule: Exclude<AccessRule, { kind: 'public' }>;
  /** Set by Passport. It may be a credential without an authorized workspace, so no handler gets it. */
  user?: Authenticated;
}

/** A caller, or a CI credential whose workspace is not known yet. */
export type Authenticated = CiCredential | MemberCaller | PersonalKeyCaller | UserCaller;

type Done = (error: unknown, authenticated?: Authenticated | null) => void;
type Verify = (check: CredentialCheck, done: Done) => void;

/**
 * Passport has one registry of strategies for the whole process. Each application registers its strategies under unique names, so
 * that two applications of one process do not authenticate for each other.
 */
let registered = 0;

/** A Passport strategy for the credential of a request. It passes the request on to the next strategy if `validate` returns null. */
class RequestStrategy extends Strategy {
  override readonly name: string;

  constructor(
    credential: string,
    private readonly verify: Verify,
  ) {
    super();
    registered += 1;
    this.name = `${credential}-${registered}`;
  }

  // Passport calls this on a new object for each request, so `success` and `fail` belong to one request.
  override authenticate(check: unknown): void {
    this.verify(check as CredentialCheck, (error, authenticated) => {
      if (error) this.error(error);
      else if (authenticated) this.success(authenticated);
      else this.fail();
    });
  }

  /** Called when no request is in progress any more. */
  onApplicationShutdown(): void {
    passport.unuse(this.name);
  }
}

const CredentialStrategy = PassportStrategy(RequestStrategy);

/** Authenticates the identity token of a CI run, and rejects every credential on a CI route that is no API key. */
@Injectable()
export class IdentityTokenStrategy extends CredentialStrategy implements OnApplicationShutdown {
  constructor(private readonly ci: CiAuthService) {
    super('identity-token');
  }

  async validate({ request, rule }: CredentialCheck): Promise<CiCredential | null> {
    const bearer = rule.kind === 'ci' ? readBearer(request.raw) : null;
    return bearer === null || bearer.kind === 'api_key' ? null : this.ci.verifyCredential(bearer);
  }
}

/** Authenticates the API key of a CI system by its form. Its workspace and its scopes are read afterwards. */
@Injectable()
export class ApiKeyStrategy extends CredentialStrategy implements OnApplicationShutdown {
  constructor(private readonly ci: CiAuthService) {
    super('api-key');
  }

  async validate({ request, rule }: CredentialCheck): Promise<CiCredential | null> {
    const bearer = rule.kind === 'ci' ? readBearer(request.raw) : null;
    return bearer?.kind === 'api_key' ? this.ci.verifyCredential(bearer) : null;
  }
}

/** Authenticates the personal key of a member's tools. */
@Injectable()
export class PersonalKeyStrategy extends CredentialStrategy implements OnApplicationShutdown {
  constructor(private readonly personalKeys: PersonalKeyAuthService) {
    super('personal-key');
  }

  async validate({ request, rule }: CredentialCheck): Promise<PersonalKeyCaller | null> {
    if (rule.kind !== 'personal_key') return null;
    const bearer = readBearer(request.raw);
    return bearer === null ? null : this.personalKeys.authorize(bearer, rule.scope);
  }
}

/** Authenticates the session of a user. */
@Injectable()
export class SessionStrategy extends CredentialStrategy implements OnApplicationShutdown {
  constructor(private readonly sessions: SessionRateLimitService) {
    super('session');
  }

  async validate({ request, reply, rule }: CredentialCheck): Promise<MemberCaller | UserCaller | null> {
    return rule.kind === 'session' ? this.sessions.authorize(request, reply, rule) : null;
  }
}
