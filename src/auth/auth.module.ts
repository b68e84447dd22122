import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AccessGuard } from './access.guard.js';
import { ApiKeyReader } from './api-key.reader.js';
import { CiAuthenticator } from './ci-auth.service.js';
import { KeyUseRecorder } from './key-usage.repository.js';
import { IdentityTokenVerifier } from './oidc/identity-token.service.js';
import { Jwks } from './oidc/jwks.js';
import { OidcSettings } from './oidc/oidc-settings.js';
import { PersonalKeyAuthenticator } from './personal-key-auth.service.js';
import { PersonalKeyReader } from './personal-key.reader.js';
import { PersonAuthenticator } from './session/person-authenticator.js';
import { SessionAdmission } from './session/session-admission.js';
import { SessionUseRecorder } from './session/session-use.recorder.js';
import { SessionReader } from './session/session.reader.js';

/** Closes every route of the app but to whom it names. Expects the app to provide clock, database and failed credentials. */
@Module({})
export class AuthModule {
  /** `members` is a module that exports a `MembershipRenewal`. */
  static renewedBy(members: Type): DynamicModule {
    return {
      module: AuthModule,
      imports: [WorkspacesModule, members],
      providers: [
        {
          provide: OidcSettings,
          inject: [ENVIRONMENT],
          useFactory: ({ oidcIssuer, oidcAudience }: Environment) => new OidcSettings(oidcIssuer, oidcAudience),
        },
        { provide: APP_GUARD, useClass: AccessGuard },
        ApiKeyReader,
        CiAuthenticator,
        IdentityTokenVerifier,
        Jwks,
        KeyUseRecorder,
        PersonAuthenticator,
        PersonalKeyAuthenticator,
        PersonalKeyReader,
        SessionAdmission,
        SessionReader,
        SessionUseRecorder,
      ],
    };
  }
}
