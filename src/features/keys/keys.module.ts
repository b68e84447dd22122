import { Module } from '@nestjs/common';
import { Keys } from './keys.service.js';
import { KeysRepository } from './keys.repository.js';

@Module({ providers: [Keys, KeysRepository], exports: [Keys] })
export class KeysModule {}
