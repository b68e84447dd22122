import { type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KeyedQueue } from '../concurrency/keyed-queue.js';
import type { OrgId } from '../database/ids.js';
import type { RequiredScope } from '../domain/keys/key-scope.js';
import { DomainError } from '../http/errors/domain-error.js';
import { clientNetworkPrefix, RateLimitService } from '../http/rate-limit/rate-limit.service.js';
import { FailedLoginCounter } from '../http/rate-limit/failed-login-counter.js';
import type { RateLimitName } from '../http/rate-limit/rate-limits.js';
import { setLoggedCaller } from '../observability/request-logging.js';
import { type AccessRule, getAccessRule } from './access.decorators.js';
import {
  routeWithoutAccessRule,
  credentialInvalid,
  credentialMissing,
  InvalidCredentialError,
  tooManyFailures,
} from './auth.errors.js';
import { hasAuthorization, presentsCiCredential, presentsPersonalKey, readAuthorization } from './bearer.js';
import {
  type CiCaller,
  type CiCredential,
  type MemberCaller,
  type PersonalKeyCaller,
  setCaller,
  setCredential,
  type UnresolvedCredential,
  type UserCaller,
} from './caller.js';
import { CiAuthService } from './ci-auth.service.js';
import {
  ApiKeyStrategy,
  type Authenticated,
  type CredentialCheck,
  IdentityTokenStrategy,
  PersonalKeyStrategy,
  SessionStrategy,
} from './credential.strategies.js';
import type { ApiKeyRecord } from './credentials.queries.js';
import { apiKeyRateLimitKey } from './rate-limit-key.js';
import { assertNamedWorkspace } from './session/named-workspace.js';

type CiRule = Extract<AccessRule, { kind: 'ci' }>;
type PersonalKeyRule = Extract<AccessRule, { kind: 'personal_key' }>;

/**
 * The number of verifications at the same time for one address with many failures. Such an address uses little processor time and
 * few connections, and its valid requests still succeed.
 */
const SUSPECT_VERIFICATIONS = 2;

const RATE_LIMIT_BY_SCOPE = {
  'evidence:write': 'upload',
  'gate:read': 'gate',
  'deployment:write': 'upload',
  any: 'gate',
} as const satisfies Record<RequiredScope, RateLimitName>;

/**
 * Applies the access rule of the route, and rejects every request on a route without a rule. Passport's strategies authenticate the
 * credential; the guard limits failures, and finds the workspace of a CI credential.
 */
@Injectable()
export class AccessGuard extends AuthGuard() {
  readonly #logger = new Logger(AccessGuard.name);
  readonly #suspects = new KeyedQueue(SUSPECT_VERIFICATIONS);

  constructor(
    apiKey: ApiKeyStrategy,
    identityToken: IdentityTokenStrategy,
    personalKey: PersonalKeyStrategy,
    session: SessionStrategy,
    private readonly ci: CiAuthService,
    private readonly failures: FailedLoginCounter,
    private readonly limits: RateLimitService,
  ) {
    // Passport tries them in this order. The API key is first, because the gate is requested most.
    super({ defaultStrategy: [apiKey, identityToken, personalKey, session].map(({ name }) => name) });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const rule = findRule(context, request);
    if (rule === null) throw routeWithoutAccessRule();
    if (rule.kind === 'public') return true;
    const reply = http.getResponse<FastifyReply>();
    const check: CredentialCheck = { request, reply, rule };
    if (rule.kind === 'session') {
      setCaller(request, await this.#authenticate<MemberCaller | UserCaller>(check));
      return true;
    }
    this.#assertPresented(request, rule);
    await this.#limitingFailures(request, async (isSuspect) => {
      if (rule.kind === 'personal_key') {
        const caller = await this.#authenticate<PersonalKeyCaller>(check);
        assertNamedWorkspace(request, caller, false);
        setCaller(request, caller);
      } else await this.#authorizeCi(request, reply, rule, await this.#authenticate<CiCredential>(check), isSuspect);
    });
    return true;
  }

  override handleRequest<T>(error: unknown, authenticated: T | false): T {
    if (error) throw error;
    if (!authenticated) throw new TypeError('No strategy authenticates the credential of this route.');
    return authenticated;
  }

  /** Runs the strategies on the check in place of the request. */
  async #authenticate<T extends Authenticated>(check: CredentialCheck): Promise<T> {
    await super.canActivate(new ExecutionContextHost([check, check.reply]));
    return check.user as T;
  }

  async #authorizeCi(
    request: FastifyRequest,
    reply: FastifyReply,
    { scope, tenantBy }: CiRule,
    credential: CiCredential,
    isSuspect: boolean,
  ): Promise<void> {
    this.limits.assertNotExhausted(RATE_LIMIT_BY_SCOPE[scope], forbiddenRateLimitKey(credential), reply);
    const resolve = (): Promise<CiCaller> =>
      this.#countingForbidden(reply, credential, scope, () => this.ci.resolve(credential, scope));
    if (tenantBy === 'guard') setCaller(request, await resolve());
    else {
      // Otherwise the handlers would read all keys of a flood of requests at once.
      if (isSuspect && credential.kind === 'api_key') await resolve();
      setCredential(request, this.#unresolved(request, reply, credential, scope));
    }
  }

  /**
   * Counts valid credentials without the scope or without a workspace. The limit of the route counts only authorized requests,
   * and a rejected request costs as much. Rejected requests have a separate limit, so that they do not use up the limit of the route.
   */
  async #countingForbidden<T>(
    reply: FastifyReply,
    credential: CiCredential,
    scope: RequiredScope,
    work: () => T | Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DomainError && error.code === 'forbidden') {
        await this.limits.consume(RATE_LIMIT_BY_SCOPE[scope], forbiddenRateLimitKey(credential), reply);
      }
      throw error;
    }
  }

  /** Throws if the request presents no credential, or one that has failed too often from its address. */
  #assertPresented(request: FastifyRequest, { kind }: CiRule | PersonalKeyRule): void {
    if (!hasAuthorization(request.raw)) {
      throw credentialMissing(kind === 'ci' ? 'an identity token or an API key' : 'a personal key');
    }
    const retryAfterSeconds = this.failures.retryAfterSeconds(request.ip, readAuthorization(request.raw));
    if (retryAfterSeconds !== null) throw tooManyFailures(retryAfterSeconds);
  }

  /**
   * Verifies the credential before anything is rejected, so that no caller is locked out by credentials that others of the same
   * address present. An address with many different failures gets few verifications at once; the others wait.
   */
  async #limitingFailures(request: FastifyRequest, verify: (isSuspect: boolean) => Promise<void>): Promise<void> {
    const isSuspect = this.failures.isSuspect(request.ip);
    await this.#countingFailures(request, () =>
      isSuspect ? this.#suspects.run(clientNetworkPrefix(request.ip), () => verify(true)) : verify(false),
    );
  }

  #unresolved(
    request: FastifyRequest,
    reply: FastifyReply,
    credential: CiCredential,
    scope: RequiredScope,
  ): UnresolvedCredential {
    const authorized = <C extends CiCaller>(authorize: () => C): Promise<C> =>
      this.#authorizeUnresolved(request, () => this.#countingForbidden(reply, credential, scope, authorize));
    return credential.kind === 'api_key'
      ? {
          ...credential,
          authorize: (found: ApiKeyRecord | null) => authorized(() => this.ci.authorizeKey(found, scope)),
        }
      : {
          ...credential,
          authorize: (orgId: OrgId | null) => authorized(() => this.ci.authorizeRun(credential.claims, orgId)),
        };
  }

  async #authorizeUnresolved<C extends CiCaller>(request: FastifyRequest, authorize: () => Promise<C>): Promise<C> {
    const caller = await this.#countingFailures(request, authorize);
    setLoggedCaller(request, caller);
    return caller;
  }

  /** Counts an invalid credential and rejects it without a reason. After too many it throws `rate_limited`. */
  async #countingFailures<T>(request: FastifyRequest, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof InvalidCredentialError)) throw error;
      const retryAfterSeconds = await this.failures.record(request.ip, readAuthorization(request.raw));
      if (retryAfterSeconds !== null) throw tooManyFailures(retryAfterSeconds);
      this.#logger.log(`Invalid credential: ${error.reason}`);
      throw credentialInvalid();
    }
  }
}

/**
 * Returns the rule of the route for this request. If a request for a route for sessions and keys presents a key, the key decides and the
 * session is not read: a request has one caller.
 */
function findRule(context: ExecutionContext, { raw }: FastifyRequest): AccessRule | null {
  const rule = getAccessRule(context.getHandler());
  if (rule?.kind !== 'session') return rule;
  if (rule.personalKey !== undefined && presentsPersonalKey(raw)) {
    return { kind: 'personal_key', scope: rule.personalKey };
  }
  return rule.ci !== undefined && presentsCiCredential(raw) ? { kind: 'ci', scope: rule.ci, tenantBy: 'guard' } : rule;
}

/** All runs of an organization without a workspace share one limit. */
const forbiddenRateLimitKey = (credential: CiCredential): string =>
  credential.kind === 'api_key'
    ? `forbidden:${apiKeyRateLimitKey(credential.secretHash)}`
    : `forbidden:owner:${credential.claims.ownerGithubId}`;
