import { Module } from '@nestjs/common';
import { SyncModule } from '../sync/sync.module.js';
import { ConfigStatusReport } from './config-status.service.js';
import { FormerRoutesController } from './former-routes.controller.js';
import { SetupController } from './setup.controller.js';
import { Setup } from './setup.service.js';

@Module({
  imports: [SyncModule],
  controllers: [FormerRoutesController, SetupController],
  providers: [ConfigStatusReport, Setup],
})
export class SetupModule {}
