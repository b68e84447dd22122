import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OrgId } from '../database/ids.js';
import type { KeyScope } from '../domain/keys/key-scope.js';
import { clientNetwork } from '../http/rate-limit/client-address.js';
import { FailedCredentials } from '../http/rate-limit/failed-credentials.js';
import { nameInLog } from '../observability/logged-caller.js';
import { type AccessRule, accessRuleOf } from './access-rule.js';
import type { ApiKeyRecord } from './api-key-record.js';
import { type Bearer, presented, readBearer } from './bearer.js';
import { type CiCaller, type CiCredential, type CredentialInHand, setCaller, setCredential } from './caller.js';
import { CiAuthenticator } from './ci-authenticator.js';
import { CredentialRefused } from './credential-refused.js';
import { PersonalKeyAuthenticator } from './personal-key-authenticator.js';
import { accessClosed, credentialInvalid, credentialMissing, tooManyFailures } from './refusal.js';
import { SlowLane } from './slow-lane.js';
import { SessionAdmission } from './session/session-admission.js';

type CiRule = Extract<AccessRule, { kind: 'ci' }>;
type PersonalKeyRule = Extract<AccessRule, { kind: 'personal_key' }>;
type Presented = Exclude<Bearer, { kind: 'none' }>;

/** Lets in whom a route's declared rule names, and nobody where it declares none. */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly #logger = new Logger(AccessGuard.name);
  readonly #slowLane = new SlowLane();

  constructor(
    private readonly ci: CiAuthenticator,
    private readonly sessions: SessionAdmission,
    private readonly personalKeys: PersonalKeyAuthenticator,
    private readonly failures: FailedCredentials,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = accessRuleOf(context.getHandler());
    if (rule?.kind === 'public') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (rule?.kind === 'session') {
      setCaller(request, await this.sessions.admit(request, http.getResponse<FastifyReply>(), rule.role));
    } else if (rule?.kind === 'ci') await this.#admitCi(request, rule);
    else if (rule?.kind === 'personal_key') await this.#admitTools(request, rule);
    else throw accessClosed();
    return true;
  }

  async #admitCi(request: FastifyRequest, { scope, tenantBy }: CiRule): Promise<void> {
    const bearer = this.#readBearer(request, 'an identity token or an API key');
    await this.#judge(request, async (isSuspect) => {
      const credential = await this.ci.judge(bearer);
      if (tenantBy === 'guard') setCaller(request, await this.ci.resolve(credential, scope));
      else {
        // The handler's statement would look the keys of a flood up all at once.
        if (isSuspect && credential.kind === 'api_key') await this.ci.resolve(credential, scope);
        setCredential(request, this.#inHand(request, credential, scope));
      }
    });
  }

  async #admitTools(request: FastifyRequest, { scope }: PersonalKeyRule): Promise<void> {
    const bearer = this.#readBearer(request, 'a personal key');
    await this.#judge(request, async () => setCaller(request, await this.personalKeys.admit(bearer, scope)));
  }

  /** What the request presents; one that has failed too often from its address is not looked at again. */
  #readBearer(request: FastifyRequest, wanted: Parameters<typeof credentialMissing>[0]): Presented {
    const bearer = readBearer(request.raw);
    if (bearer.kind === 'none') throw credentialMissing(wanted);
    const blockedFor = this.failures.blockedFor(request.ip, presented(request.raw));
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
      isSuspect ? this.#slowLane.run(clientNetwork(request.ip), () => judgement(true)) : judgement(false),
    );
  }

  #inHand(request: FastifyRequest, credential: CiCredential, scope: KeyScope): CredentialInHand {
    return credential.kind === 'api_key'
      ? {
          ...credential,
          admit: (found: ApiKeyRecord | null) => this.#admitInHand(request, () => this.ci.admitKey(found, scope)),
        }
      : {
          ...credential,
          admit: (orgId: OrgId | null) => this.#admitInHand(request, () => this.ci.admitRun(credential.claims, orgId)),
        };
  }

  async #admitInHand<C extends CiCaller>(request: FastifyRequest, admit: () => C): Promise<C> {
    const caller = await this.#countingRefusals(request, admit);
    nameInLog(request, caller);
    return caller;
  }

  /** A credential that does not hold is counted, and answered without a reason; one too many is told to wait. */
  async #countingRefusals<T>(request: FastifyRequest, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CredentialRefused)) throw error;
      const retryAfterSeconds = await this.failures.record(request.ip, presented(request.raw));
      if (retryAfterSeconds !== null) throw tooManyFailures(retryAfterSeconds);
      this.#logger.log(`A credential was refused: ${error.reason}.`);
      throw credentialInvalid();
    }
  }
}
