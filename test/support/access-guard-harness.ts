import { jest } from '@jest/globals';
import { type ExecutionContext, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CiAuth, PersonalKey, Public, Requires } from '../../src/auth/access.decorators.js';
import { AccessGuard } from '../../src/auth/access.guard.js';
import {
  ApiKeyStrategy,
  IdentityTokenStrategy,
  PersonalKeyStrategy,
  SessionStrategy,
} from '../../src/auth/credential.strategies.js';
import type { CiCaller, CiCredential } from '../../src/auth/caller.js';
import type { CiAuthService } from '../../src/auth/ci-auth.service.js';
import type { IdentityClaims } from '../../src/auth/oidc/token-claims.js';
import type { PersonalKeyAuthService } from '../../src/auth/personal-key-auth.service.js';
import type { SessionRateLimitService } from '../../src/auth/session/session-rate-limit.service.js';
import { toOrgId } from '../../src/database/ids.js';
import { DomainError } from '../../src/http/errors/domain-error.js';
import type { RateLimitService } from '../../src/http/rate-limit/rate-limit.service.js';
import type { FailedLoginCounter } from '../../src/http/rate-limit/failed-login-counter.js';

export const ADDRESS = '192.0.2.7';
export const ORG_ID = toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11');
export const CLAIMS = { jti: 'the-one', repositoryGithubId: 4001 } as IdentityClaims;
export const RUN: CiCredential = { kind: 'identity_token', claims: CLAIMS };
export const CI_CALLER = { kind: 'api_key', orgId: ORG_ID, keyId: 'k1' } as CiCaller;

/** The error for an invalid credential, whatever the reason. */
export const INVALID = {
  code: 'unauthenticated',
  headers: { 'WWW-Authenticate': 'Bearer realm="shipgate", error="invalid_token"' },
};

class Routes {
  @Public()
  open(): void {}

  @Requires('member')
  forMembers(): void {}

  @Requires('member', { personalKey: 'write' })
  forMembersAndKeys(): void {}

  @Requires('member', { ci: 'gate:read' })
  forMembersAndCi(): void {}

  @Requires('platform_admin')
  forOperators(): void {}

  @CiAuth('evidence:write')
  upload(): void {}

  @CiAuth('gate:read', { tenantBy: 'handler' })
  gate(): void {}

  @PersonalKey('write')
  tools(): void {}

  undeclared(): void {}
}

/** The guard with routes of every kind of rule, and authenticators that a test controls: by default, they accept a run. */
export class AccessGuardHarness {
  readonly ci = {
    verifyCredential: jest.fn<CiAuthService['verifyCredential']>().mockResolvedValue(RUN),
    resolve: jest.fn<CiAuthService['resolve']>().mockResolvedValue(CI_CALLER),
    authorizeKey: jest.fn<CiAuthService['authorizeKey']>(),
    authorizeRun: jest.fn<CiAuthService['authorizeRun']>(),
  };
  readonly failures = {
    retryAfterSeconds: jest.fn<FailedLoginCounter['retryAfterSeconds']>().mockReturnValue(null),
    isSuspect: jest.fn<FailedLoginCounter['isSuspect']>().mockReturnValue(false),
    record: jest.fn<FailedLoginCounter['record']>().mockResolvedValue(null),
  };
  readonly limits = {
    consume: jest.fn<RateLimitService['consume']>().mockResolvedValue(undefined),
    assertNotExhausted: jest.fn<RateLimitService['assertNotExhausted']>().mockReturnValue(undefined),
  };
  readonly personalKeys = { authorize: jest.fn<PersonalKeyAuthService['authorize']>() };
  readonly sessions = { authorize: jest.fn<SessionRateLimitService['authorize']>() };
  /** The lines of the log. */
  readonly log = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
  readonly reply = {} as FastifyReply;
  private readonly guard = new AccessGuard(
    new ApiKeyStrategy(this.ci as unknown as CiAuthService),
    new IdentityTokenStrategy(this.ci as unknown as CiAuthService),
    new PersonalKeyStrategy(this.personalKeys as unknown as PersonalKeyAuthService),
    new SessionStrategy(this.sessions as unknown as SessionRateLimitService),
    this.ci as unknown as CiAuthService,
    this.failures as unknown as FailedLoginCounter,
    this.limits as unknown as RateLimitService,
  );

  admit(request: FastifyRequest, route: keyof Routes): Promise<boolean> {
    return this.guard.canActivate({
      getHandler: () => Routes.prototype[route],
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => this.reply }),
    } as unknown as ExecutionContext);
  }
}

export const requestWith = (...rawHeaders: string[]): FastifyRequest =>
  ({ ip: ADDRESS, headers: {}, raw: { rawHeaders } }) as unknown as FastifyRequest;
export const withToken = (): FastifyRequest => requestWith('Authorization', 'Bearer e30.e30.e30');

/** The error that a rejected caller receives. */
export async function rejection(outcome: Promise<unknown>): Promise<Pick<DomainError, 'code' | 'headers'>> {
  const error = await outcome.catch((thrown: unknown) => thrown);
  if (!(error instanceof DomainError)) throw new TypeError('The guard did not refuse.', { cause: error });
  return { code: error.code, headers: error.headers };
}
