import { Module } from '@nestjs/common';
import { SigningKeysRecorder } from './signing-keys.repository.js';
import { ServiceKeysController } from './signing.controller.js';
import { ServiceKeys } from './signing.service.js';

@Module({
  controllers: [ServiceKeysController],
  providers: [ServiceKeys, SigningKeysRecorder],
  exports: [ServiceKeys],
})
export class SigningModule {}
