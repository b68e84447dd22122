import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Clock } from '../../config/clock.js';
import { OutageWatch } from '../../observability/outage-watch.js';
import { RateLimitLeases } from './rate-limit-leases.js';
import { RateLimitGuard, RateLimitKeyProvider } from './rate-limit.guard.js';
import { RateLimitRepository } from './rate-limit.repository.js';
import { RateLimitService } from './rate-limit.service.js';
import { FailedLoginCounter } from './failed-login-counter.js';
import { UntrustedForwarders } from './untrusted-forwarders.js';
import { UntrustedForwarderRepository } from './untrusted-forwarder.repository.js';

/**
 * The rate limits of the service and the counter of failed credentials. All instances share their windows. Import it
 * after the module of the access guard: guards run in the order of their modules, and a limit needs the caller.
 */
@Module({})
export class RateLimitModule {
  /** `subject` determines the subject of each request from its caller. */
  static countingBy(subject: Type<RateLimitKeyProvider>): DynamicModule {
    return {
      module: RateLimitModule,
      global: true,
      providers: [
        RateLimitRepository,
        { provide: RateLimitKeyProvider, useClass: subject },
        {
          provide: RateLimitLeases,
          inject: [RateLimitRepository, Clock, OutageWatch],
          useFactory: (store: RateLimitRepository, clock: Clock, outages: OutageWatch) =>
            new RateLimitLeases(store, clock, (err) =>
              outages.noteLine({
                level: 'warn',
                fields: { err },
                message: 'rate limits are counted by this instance alone',
              }),
            ),
        },
        FailedLoginCounter,
        UntrustedForwarderRepository,
        RateLimitService,
        UntrustedForwarders,
        { provide: APP_GUARD, useClass: RateLimitGuard },
      ],
      exports: [FailedLoginCounter, UntrustedForwarderRepository, RateLimitService, RateLimitLeases],
    };
  }
}
