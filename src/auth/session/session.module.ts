import { Module } from '@nestjs/common';
import { SessionsRepository } from './sessions.repository.js';

/** A separate module, because the accounts module needs the sessions and the auth module imports the accounts module. */
@Module({ providers: [SessionsRepository], exports: [SessionsRepository] })
export class SessionModule {}
