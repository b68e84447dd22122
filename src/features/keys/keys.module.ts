import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AdminOffice } from '../members/admin-office.reader.js';
import { ApiKeysController } from './api-keys.controller.js';
import { Keys } from './keys.service.js';
import { KeysRepository } from './keys.repository.js';
import { PersonalKeysController } from './personal-keys.controller.js';
import { PersonalKeys } from './personal-keys.service.js';
import { PersonalKeysRepository } from './personal-keys.repository.js';

@Module({
  imports: [AuditModule],
  controllers: [ApiKeysController, PersonalKeysController],
  providers: [AdminOffice, Keys, KeysRepository, PersonalKeys, PersonalKeysRepository],
  exports: [Keys],
})
export class KeysModule {}
