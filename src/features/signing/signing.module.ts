import { Module } from '@nestjs/common';
import { SigningKeysRepository } from './signing-keys.repository.js';
import { SigningController } from './signing.controller.js';
import { SigningService } from './signing.service.js';

@Module({
  controllers: [SigningController],
  providers: [SigningService, SigningKeysRepository],
  exports: [SigningService],
})
export class SigningModule {}
