import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { ApiKeyReader } from './api-key.reader.js';
import { ApiKeyUseRecorder } from './api-key-use.recorder.js';
import { CiAuthenticator } from './ci-authenticator.js';
import { IdentityTokenVerifier } from './identity-token.verifier.js';
import { Jwks } from './jwks.js';
import { OidcSettings } from './oidc-settings.js';
import { WorkspaceReader } from './workspace.reader.js';

/** Closes every route of the app but to whom it names. Expects the app to provide clock, database and failed credentials. */
@Module({})
export class AuthModule {
  static register(settings: OidcSettings): DynamicModule {
    return {
      module: AuthModule,
      providers: [
        { provide: OidcSettings, useValue: settings },
        { provide: APP_GUARD, useClass: AccessGuard },
        ApiKeyReader,
        ApiKeyUseRecorder,
        CiAuthenticator,
        IdentityTokenVerifier,
        Jwks,
        WorkspaceReader,
      ],
    };
  }
}
