import { Module } from '@nestjs/common';
import { ServiceKeys } from './service-keys.service.js';
import { SigningKeysRecorder } from './signing-keys.repository.js';
import { ServiceKeysController } from './signing.controller.js';

@Module({
  controllers: [ServiceKeysController],
  providers: [ServiceKeys, SigningKeysRecorder],
  exports: [ServiceKeys],
})
export class SigningModule {}
