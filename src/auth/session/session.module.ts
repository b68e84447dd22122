import { Module } from '@nestjs/common';
import { SessionsRepository } from './sessions.repository.js';

/** Sessions for those that the guard itself imports, too: the accounts of users renew memberships for it. */
@Module({ providers: [SessionsRepository], exports: [SessionsRepository] })
export class SessionModule {}
