import { Global, Module } from '@nestjs/common';
import { EncryptionService } from './encryption.service.js';

/** Hands the sealer to whoever keeps a secret. Expects the app to provide the environment. */
@Global()
@Module({ providers: [EncryptionService], exports: [EncryptionService] })
export class CryptoModule {}
