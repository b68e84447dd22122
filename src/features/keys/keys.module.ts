import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApiKeysController, PersonalKeysController } from './keys.controller.js';
import { PersonalKeysRepository } from './personal-keys.repository.js';
import { PersonalKeysService } from './personal-keys.service.js';

@Module({
  imports: [AccountsModule, AuditModule],
  controllers: [ApiKeysController, PersonalKeysController],
  providers: [ApiKeysService, ApiKeysRepository, PersonalKeysService, PersonalKeysRepository],
  exports: [ApiKeysService],
})
export class KeysModule {}
