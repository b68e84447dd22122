import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { takeLateBody } from '../body/late-body.js';
import { clientNetwork } from './client-address.js';
import { RateLimitSubject, TOLD_BY_BODY } from './rate-limit-subject.js';
import { RateLimited } from './rate-limited.decorator.js';
import { RequestLimits } from './request-limits.js';

/** Holds routes to their `@RateLimited` policy, after the access guard has said who calls. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RequestLimits,
    private readonly subjects: RateLimitSubject,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const name = this.reflector.getAllAndOverride(RateLimited, [context.getHandler(), context.getClass()]);
    if (name === undefined) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // Uploads are counted for the repository that they name; one that cannot be read is counted before it is refused.
    const unread = await takeLateBody(request).catch((error: unknown) => ({ error }));
    const subject = this.subjects.of(name, request) ?? clientNetwork(request.ip);
    if (subject !== TOLD_BY_BODY) await this.limits.spend(name, subject, http.getResponse<FastifyReply>());
    if (unread !== undefined) throw unread.error;
    return true;
  }
}
