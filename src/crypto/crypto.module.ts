import { Global, Module } from '@nestjs/common';
import { EncryptionService } from './encryption.service.js';

/** Provides the encryption of stored secrets. Requires the environment from the app. */
@Global()
@Module({ providers: [EncryptionService], exports: [EncryptionService] })
export class CryptoModule {}
