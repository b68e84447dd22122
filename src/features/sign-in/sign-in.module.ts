import { Module } from '@nestjs/common';
import { SessionReader } from '../../auth/session/session.reader.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { MembersModule } from '../members/members.module.js';
import { PeopleModule } from '../people/people.module.js';
import { LoginAttemptsRepository } from './login-attempts.repository.js';
import { SessionController } from './session.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { Sessions } from './sessions.service.js';
import { SignInController } from './sign-in.controller.js';
import { SignedInAdmission } from './signed-in-admission.service.js';
import { SignIn } from './sign-in.service.js';

@Module({
  imports: [MembersModule, PeopleModule, WorkspacesModule],
  controllers: [SignInController, SessionController],
  providers: [LoginAttemptsRepository, SessionReader, Sessions, SessionsRepository, SignedInAdmission, SignIn],
  exports: [Sessions],
})
export class SignInModule {}
