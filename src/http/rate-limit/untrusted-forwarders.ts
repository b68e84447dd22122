import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { LOGGER } from '../../observability/logger.js';
import { networkTest } from '../open-connections.js';
import { UntrustedForwarderRepository } from './untrusted-forwarder.repository.js';

const HOUR_MS = 3_600_000;

/**
 * Detects forwarding headers of an address that is not in `TRUSTED_PROXIES`. They are ignored, because any client can
 * send them. If the address is a proxy, all clients behind it share the limits of one client.
 */
@Injectable()
export class UntrustedForwarders {
  readonly #isTrusted: (address: string | undefined) => boolean;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly repository: UntrustedForwarderRepository,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) { trustedProxies }: Environment,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.#isTrusted = networkTest(trustedProxies);
  }

  /** Logs a warning at most once an hour and saves the address for the doctor. */
  note({ headers, socket: { remoteAddress } }: Pick<FastifyRequest, 'headers' | 'socket'>): void {
    if (headers['x-forwarded-for'] === undefined && headers.forwarded === undefined) return;
    const now = this.clock.now();
    if (now.getTime() - this.#warnedAt < HOUR_MS || remoteAddress === undefined || this.#isTrusted(remoteAddress))
      return;
    this.#warnedAt = now.getTime();
    this.log.warn(
      { address: remoteAddress },
      'forwarding headers of an address that is not in TRUSTED_PROXIES do not count: if it is your proxy, all of its clients share the limits of one',
    );
    this.repository.note({ address: remoteAddress, seenAt: now }).catch((err: unknown) => {
      this.log.warn({ err }, 'untrusted forwarder was not saved for the doctor');
    });
  }
}
