import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetwork } from './client-address.js';
import { RateLimitSubject } from './rate-limit-subject.js';
import { RateLimited } from './rate-limited.decorator.js';
import { RequestLimits } from './request-limits.js';
import { UntrustedForwarders } from './untrusted-forwarders.js';

/** Holds routes to their `@RateLimited` policy, after the access guard has said who calls and before a body is read. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RequestLimits,
    private readonly subjects: RateLimitSubject,
    private readonly forwarders: UntrustedForwarders,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const name = this.reflector.getAllAndOverride(RateLimited, [context.getHandler(), context.getClass()]);
    if (name === undefined) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    this.forwarders.note(request);
    const count = this.subjects.of(name, request);
    if (count === null) await this.limits.spend(name, clientNetwork(request.ip), reply);
    else if (count.counted === 'now') await this.limits.spend(count.name, count.subject, reply);
    else this.limits.refuseExhausted(count.name, count.subject, reply);
    return true;
  }
}
