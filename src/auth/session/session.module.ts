import { Module } from '@nestjs/common';
import { SessionReader } from './sessions.repository.js';

/** Sessions for those that the guard itself imports, too: the accounts of users renew memberships for it. */
@Module({ providers: [SessionReader], exports: [SessionReader] })
export class SessionModule {}
