import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../../http/errors/domain-error.js';

/**
 * Refuses what a page of another origin sends, as the protocol demands of its servers ("Transports", Streamable HTTP):
 * a page whose name was pointed at this address must not speak for tools. Programs that are no browser name no origin.
 */
@Injectable()
export class OwnOriginGuard implements CanActivate {
  readonly #origin: string;

  constructor(@Inject(ENVIRONMENT) { baseUrl }: Environment) {
    this.#origin = new URL(baseUrl).origin;
  }

  canActivate(context: ExecutionContext): boolean {
    const { origin } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (origin === undefined || origin === this.#origin) return true;
    throw new DomainError('forbidden', 'Pages of other origins may not use the remote tools.');
  }
}
