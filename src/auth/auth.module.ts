import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AccessGuard } from './access.guard.js';
import { ApiKeyUseRecorder } from './api-key-use.recorder.js';
import { ApiKeyReader } from './api-key.reader.js';
import { CiAuthenticator } from './ci-authenticator.js';
import { IdentityTokenVerifier } from './identity-token.verifier.js';
import { Jwks } from './jwks.js';
import { OidcSettings } from './oidc-settings.js';

/** Closes every route of the app but to whom it names. Expects the app to provide clock, database and failed credentials. */
@Module({
  imports: [WorkspacesModule],
  providers: [
    {
      provide: OidcSettings,
      inject: [ENVIRONMENT],
      useFactory: ({ oidcIssuer, oidcAudience }: Environment) => new OidcSettings(oidcIssuer, oidcAudience),
    },
    { provide: APP_GUARD, useClass: AccessGuard },
    ApiKeyReader,
    ApiKeyUseRecorder,
    CiAuthenticator,
    IdentityTokenVerifier,
    Jwks,
  ],
})
export class AuthModule {}
