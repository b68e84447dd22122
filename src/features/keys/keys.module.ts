import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApiKeysController } from './api-keys.controller.js';
import { CredentialController } from './credential.controller.js';
import { PersonalKeysController } from './personal-keys.controller.js';
import { PersonalKeysRepository } from './personal-keys.repository.js';
import { PersonalKeysService } from './personal-keys.service.js';

/**
 * Callers that cannot sign in need a secret: CI systems have keys of the workspace, scripts of members have personal
 * keys. Only digests are stored. Begin at `api-keys.service.ts`. `src/auth/` accepts the keys.
 */
@Module({
  imports: [AccountsModule, AuditModule],
  controllers: [ApiKeysController, CredentialController, PersonalKeysController],
  providers: [ApiKeysService, ApiKeysRepository, PersonalKeysService, PersonalKeysRepository],
  exports: [ApiKeysService],
})
export class KeysModule {}
