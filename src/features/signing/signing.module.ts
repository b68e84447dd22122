import { Module } from '@nestjs/common';
import { SigningKeysRepository } from './signing-keys.repository.js';
import { SigningController } from './signing.controller.js';
import { SigningService } from './signing.service.js';

/**
 * Evidence documents and audit packs are signed, so that a copy can be verified without the service. The keys are in
 * the database, the public ones are served. Begin at `signing.service.ts`.
 */
@Module({
  controllers: [SigningController],
  providers: [SigningService, SigningKeysRepository],
  exports: [SigningService],
})
export class SigningModule {}
