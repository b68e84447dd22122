import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OrgId } from '../database/ids.js';
import type { KeyScope } from '../domain/keys/key-scope.js';
import { DomainError } from '../http/errors/domain-error.js';
import { clientNetworkPrefix, FailedLoginCounter, RateLimitService } from '../http/rate-limit/rate-limit.service.js';
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
import { type Bearer, presented, readBearer } from './bearer.js';
import { type CiCaller, type CiCredential, type UnresolvedCredential, setCaller, setCredential } from './caller.js';
import { CiAuthService } from './ci-auth.service.js';
import type { ApiKeyRecord } from './credentials.queries.js';
import { PersonalKeyAuthService } from './personal-key-auth.service.js';
import { subjectOfHash } from './rate-limit-key.js';
import { SessionRateLimitService } from './session/session-auth.service.js';
import { SlowLane } from './slow-lane.js';

type CiRule = Extract<AccessRule, { kind: 'ci' }>;
type PersonalKeyRule = Extract<AccessRule, { kind: 'personal_key' }>;
type Presented = Exclude<Bearer, { kind: 'none' }>;

const LIMIT_OF_SCOPE = { 'evidence:write': 'upload', 'gate:read': 'gate' } as const satisfies Record<
  KeyScope,
  RateLimitName
>;

/** Lets in whom a route's declared rule names, and nobody where it declares none. */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly #logger = new Logger(AccessGuard.name);
  readonly #slowLane = new SlowLane();

  constructor(
    private readonly ci: CiAuthService,
    private readonly sessions: SessionRateLimitService,
    private readonly personalKeys: PersonalKeyAuthService,
    private readonly failures: FailedLoginCounter,
    private readonly limits: RateLimitService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = getAccessRule(context.getHandler());
    if (rule?.kind === 'public') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (rule?.kind === 'session') setCaller(request, await this.sessions.authorize(request, reply, rule.role));
    else if (rule?.kind === 'ci') await this.#admitCi(request, reply, rule);
    else if (rule?.kind === 'personal_key') await this.#admitTools(request, rule);
    else throw routeWithoutAccessRule();
    return true;
  }

  async #admitCi(request: FastifyRequest, reply: FastifyReply, { scope, tenantBy }: CiRule): Promise<void> {
    const bearer = this.#readBearer(request, 'an identity token or an API key');
    await this.#judge(request, async (isSuspect) => {
      const credential = await this.ci.verifyCredential(bearer);
      this.limits.assertNotExhausted(LIMIT_OF_SCOPE[scope], subjectOfForbidden(credential), reply);
      const resolve = (): Promise<CiCaller> =>
        this.#countingForbidden(reply, credential, scope, () => this.ci.resolve(credential, scope));
      if (tenantBy === 'guard') setCaller(request, await resolve());
      else {
        // The handler's statement would look the keys of a flood up all at once.
        if (isSuspect && credential.kind === 'api_key') await resolve();
        setCredential(request, this.#inHand(request, reply, credential, scope));
      }
    });
  }

  /**
   * Counts credentials that hold and do not reach so far, for want of a scope or a workspace: the limit of the route counts
   * those alone who are let in, and a refusal costs as much. They have a limit of their own, so that they take nothing from
   * requests that are let in.
   */
  async #countingForbidden<T>(
    reply: FastifyReply,
    credential: CiCredential,
    scope: KeyScope,
    work: () => T | Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (refusal) {
      if (refusal instanceof DomainError && refusal.code === 'forbidden') {
        await this.limits.consume(LIMIT_OF_SCOPE[scope], subjectOfForbidden(credential), reply);
      }
      throw refusal;
    }
  }

  async #admitTools(request: FastifyRequest, { scope }: PersonalKeyRule): Promise<void> {
    const bearer = this.#readBearer(request, 'a personal key');
    await this.#judge(request, async () => setCaller(request, await this.personalKeys.authorize(bearer, scope)));
  }

  /** What the request presents; one that has failed too often from its address is not looked at again. */
  #readBearer(request: FastifyRequest, wanted: Parameters<typeof credentialMissing>[0]): Presented {
    const bearer = readBearer(request.raw);
    if (bearer.kind === 'none') throw credentialMissing(wanted);
    const blockedFor = this.failures.retryAfterSeconds(request.ip, presented(request.raw));
    if (blockedFor !== null) throw tooManyFailures(blockedFor);
    return bearer;
  }

  /**
   * Judges what is presented before anything is refused, so that nobody is kept out by what others of the address present.
   * Of an address with many different failures few are judged at once: the others wait.
   */
  async #judge(request: FastifyRequest, judgement: (isSuspect: boolean) => Promise<void>): Promise<void> {
    const isSuspect = this.failures.isSuspect(request.ip);
    await this.#countingRefusals(request, () =>
      isSuspect ? this.#slowLane.run(clientNetworkPrefix(request.ip), () => judgement(true)) : judgement(false),
    );
  }

  #inHand(
    request: FastifyRequest,
    reply: FastifyReply,
    credential: CiCredential,
    scope: KeyScope,
  ): UnresolvedCredential {
    const admitted = <C extends CiCaller>(admit: () => C): Promise<C> =>
      this.#admitInHand(request, () => this.#countingForbidden(reply, credential, scope, admit));
    return credential.kind === 'api_key'
      ? { ...credential, admit: (found: ApiKeyRecord | null) => admitted(() => this.ci.authorizeKey(found, scope)) }
      : {
          ...credential,
          admit: (orgId: OrgId | null) => admitted(() => this.ci.authorizeRun(credential.claims, orgId)),
        };
  }

  async #admitInHand<C extends CiCaller>(request: FastifyRequest, admit: () => Promise<C>): Promise<C> {
    const caller = await this.#countingRefusals(request, admit);
    setLoggedCaller(request, caller);
    return caller;
  }

  /** A credential that does not hold is counted, and answered without a reason; one too many is told to wait. */
  async #countingRefusals<T>(request: FastifyRequest, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof InvalidCredentialError)) throw error;
      const retryAfterSeconds = await this.failures.record(request.ip, presented(request.raw));
      if (retryAfterSeconds !== null) throw tooManyFailures(retryAfterSeconds);
      this.#logger.log(`A credential was refused: ${error.reason}.`);
      throw credentialInvalid();
    }
  }
}

/** All runs of an organization that has no workspace are refused alike. */
const subjectOfForbidden = (credential: CiCredential): string =>
  credential.kind === 'api_key'
    ? `forbidden:${subjectOfHash(credential.secretHash)}`
    : `forbidden:owner:${credential.claims.ownerGithubId}`;
