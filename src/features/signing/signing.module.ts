import { Module } from '@nestjs/common';
import { ServiceKeysController } from './service-keys.controller.js';
import { ServiceKeys } from './service-keys.service.js';
import { SigningKeysRecorder } from './signing-keys.recorder.js';

@Module({
  controllers: [ServiceKeysController],
  providers: [ServiceKeys, SigningKeysRecorder],
  exports: [ServiceKeys],
})
export class SigningModule {}
