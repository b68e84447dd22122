import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AccessGuard } from './access.guard.js';
import { CiAuthService } from './ci-auth.service.js';
import {
  ApiKeyStrategy,
  IdentityTokenStrategy,
  PersonalKeyStrategy,
  SessionStrategy,
} from './credential.strategies.js';
import { CredentialsQueries } from './credentials.queries.js';
import { KeyUsageRepository } from './key-usage.repository.js';
import { IdentityTokenService } from './oidc/identity-token.service.js';
import { OidcSettings } from './oidc/issuer-discovery.js';
import { JwksService } from './oidc/jwks.service.js';
import { PersonalKeyAuthService } from './personal-key-auth.service.js';
import { SessionAuthService } from './session/session-auth.service.js';
import { SessionRateLimitService } from './session/session-rate-limit.service.js';
import { SessionModule } from './session/session.module.js';

/** Applies the access rule of every route. Expects the app to provide the clock, the database and the failed login counter. */
@Module({})
export class AuthModule {
  /** `members` is a module that exports a `MembershipRefresher`. */
  static withMembers(members: Type): DynamicModule {
    return {
      module: AuthModule,
      imports: [SessionModule, WorkspacesModule, members],
      providers: [
        {
          provide: OidcSettings,
          inject: [ENVIRONMENT],
          useFactory: ({ oidcIssuer, oidcAudience }: Environment) => new OidcSettings(oidcIssuer, oidcAudience),
        },
        { provide: APP_GUARD, useClass: AccessGuard },
        ApiKeyStrategy,
        CredentialsQueries,
        CiAuthService,
        IdentityTokenService,
        IdentityTokenStrategy,
        JwksService,
        KeyUsageRepository,
        SessionAuthService,
        PersonalKeyAuthService,
        PersonalKeyStrategy,
        SessionRateLimitService,
        SessionStrategy,
      ],
    };
  }
}
