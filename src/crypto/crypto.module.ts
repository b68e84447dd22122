import { Global, Module } from '@nestjs/common';
import { Sealer } from './encryption.service.js';

/** Hands the sealer to whoever keeps a secret. Expects the app to provide the environment. */
@Global()
@Module({ providers: [Sealer], exports: [Sealer] })
export class CustodyModule {}
